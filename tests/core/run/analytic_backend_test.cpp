#include "core/run/analytic_backend.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "core/run/link_bytes.h"
#include "core/run/run_program.h"
#include "tests/support/program_sketch.h"
#include "tests/support/random_programs.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

using test::ported_cluster;
using test::ProgramSketch;

Timeline simulate_analytic(const Program& program, const Topology& topology,
                           const std::string& collective = "auto") {
  const auto backend = make_analytic_backend(program, topology, {collective});
  return std::get<Timeline>(run_program(program, *backend));
}

// 1 GB over 1 GB/s without latency is 1 s.
TEST(AnalyticBackend, TransferTakesLatencyPlusBytesOverBandwidth) {
  ProgramSketch sketch(2);
  sketch.transfer({0, 1}, 1'000'000'000);
  const Program program = std::move(sketch).build();
  EXPECT_DOUBLE_EQ(
      simulate_analytic(program, ported_cluster(2, Seconds{0}, {1e9})).makespan().count(), 1.0);
  EXPECT_DOUBLE_EQ(
      simulate_analytic(program, ported_cluster(2, Seconds{0.25}, {2e9})).makespan().count(), 0.75);
}

TEST(AnalyticBackend, TransfersDoNotSlowEachOtherDown) {
  ProgramSketch sketch(3);
  sketch.transfer({0, 1}, 100);
  sketch.transfer({0, 2}, 100);
  const Program program = std::move(sketch).build();
  EXPECT_DOUBLE_EQ(
      simulate_analytic(program, ported_cluster(3, Seconds{1}, {100.0})).makespan().count(), 2.0);
}

// 100 MB, 8 devices, 50 GB/s, 10 ns: 3.5 ms + 140 ns after the last arrival at 1 ms.
TEST(AnalyticBackend, AllReduceFollowsTheRingsClosedForm) {
  for (const char* algorithm : {"ring", "ring_aggregated"}) {
    ProgramSketch sketch(8);
    const auto last = sketch.compute(3, 1e-3);
    sketch.all_reduce({0, 1, 2, 3, 4, 5, 6, 7}, 100'000'000, {{}, {}, {}, {last}});
    const Program program = std::move(sketch).build();
    const Topology topology = ported_cluster(8, Seconds{10e-9}, {50e9});
    EXPECT_NEAR(simulate_analytic(program, topology, algorithm).makespan().count(),
                1e-3 + 3.5e-3 + 140e-9, 1e-14);
  }
}

/// 1F1B by hand: stage s forwards min(stages - s, batches) times, then alternates.
Program one_forward_one_backward(int stages, int batches, std::uint64_t bytes) {
  struct Task {
    int stage;
    bool forward;
  };
  std::vector<std::vector<Task>> order(static_cast<std::size_t>(stages));
  for (int s = 0; s < stages; ++s) {
    const int warm = std::min(stages - s, batches);
    auto& list = order[static_cast<std::size_t>(s)];
    for (int i = 0; i < warm; ++i) list.push_back({s, true});
    for (int i = 0; i < batches; ++i) {
      list.push_back({s, false});
      if (warm + i < batches) list.push_back({s, true});
    }
  }
  // Round after round, the next task of each stage whose inputs have been added.
  ProgramSketch sketch(stages);
  const auto size = static_cast<std::size_t>(stages);
  std::vector<std::size_t> next(size, 0);
  std::vector<std::vector<InstructionId>> activation(size + 1);
  std::vector<std::vector<InstructionId>> gradient(size + 1);
  std::vector<std::size_t> forwards(size, 0);
  std::vector<std::size_t> backwards(size, 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t s = 0; s < size; ++s) {
      if (next[s] == order[s].size()) continue;
      const bool forward = order[s][next[s]].forward;
      const std::size_t i = forward ? forwards[s] : backwards[s];
      const auto& inputs = forward ? activation[s] : gradient[s];
      const bool source = forward ? s == 0 : s + 1 == size;
      if (!source && inputs.size() <= i) continue;
      const int d = static_cast<int>(s);
      const auto ran =
          sketch.compute(d, forward ? 1.0 : 2.0, source ? test::Waits{} : test::Waits{inputs[i]});
      if (forward && s + 1 < size)
        activation[s + 1].push_back(sketch.transfer({d, d + 1}, bytes, {ran}).recv);
      if (!forward && s > 0)
        gradient[s - 1].push_back(sketch.transfer({d, d - 1}, bytes, {ran}).recv);
      ++(forward ? forwards[s] : backwards[s]);
      ++next[s];
      progress = true;
    }
  }
  return std::move(sketch).build();
}

// Makespan M (F + B) + (P - 1)(F + B) = 8 x 3 + 3 x 3; with a delay of 1 on every message 49, and
// with a delay of 3, where the message lane itself binds, 81.
TEST(AnalyticBackend, OneForwardOneBackwardOnAChain) {
  const Program program = one_forward_one_backward(4, 8, 0);
  const auto makespan = [&](double delay) {
    return simulate_analytic(program, test::delayed_cluster(4, Seconds{delay})).makespan().count();
  };
  EXPECT_DOUBLE_EQ(makespan(0), 33.0);
  EXPECT_DOUBLE_EQ(makespan(1), 49.0);
  EXPECT_DOUBLE_EQ(makespan(3), 81.0);
}

TEST(AnalyticBackend, MoreDevicesThanTheTopologyHasAreRefused) {
  ProgramSketch sketch(3);
  const Program program = std::move(sketch).build();
  EXPECT_THROW(make_analytic_backend(program, test::ideal_cluster(2)), InternalError);
}

TEST(AnalyticBackend, AnUnknownCollectiveIsNamed) {
  const Program program = ProgramSketch(1).build();
  const Topology topology = test::ideal_cluster(1);
  try {
    make_analytic_backend(program, topology, {"rign"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("rign"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("ring"), std::string::npos);
  }
}

TEST(AnalyticBackend, MessageByMessageIsRefusedForHugeGroups) {
  std::vector<int> all(1025);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  ProgramSketch sketch(1025);
  sketch.all_reduce(all, 8);
  const Program program = std::move(sketch).build();
  const Topology topology = test::ideal_cluster(1025);
  EXPECT_THROW(make_analytic_backend(program, topology, {"ring"}), ConfigError);
  EXPECT_NO_THROW(make_analytic_backend(program, topology, {"ring_aggregated"}));
}

TEST(AnalyticBackend, RunsAreBitIdentical) {
  const Program program = test::random_program({.seed = 7, .devices = 6, .events = 300});
  const Topology topology = ported_cluster(6, Seconds{1e-6}, {1e9});
  EXPECT_EQ(simulate_analytic(program, topology), simulate_analytic(program, topology));
}

// Links of device d: 2 d out, 2 d + 1 in. The ring of three sends 2 x 2/3 x 300 = 400 B per member.
TEST(LinkBytes, AddTransfersAndSteps) {
  ProgramSketch sketch(3);
  sketch.transfer({0, 1}, 100);
  sketch.transfer({2, 1}, 10);
  sketch.all_reduce({0, 1, 2}, 300);
  const Program program = std::move(sketch).build();
  const auto bytes = link_bytes(program, ported_cluster(3, Seconds{0}, {1.0}));
  const std::vector<double> expected{500, 400, 400, 510, 410, 400};
  ASSERT_EQ(bytes.size(), expected.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_DOUBLE_EQ(bytes[i], expected[i]) << i;
}

}  // namespace
}  // namespace pipegraph
