// SimGrid's shares against the plain computation of max-min fairness, on random flows.
#include <gtest/gtest.h>

#include <random>

#include "sim/simulate.h"
#include "tests/support/fluid_oracle.h"
#include "tests/support/program_sketch.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

/// Flow i runs from device 2 i to 2 i + 1 over random links, some at the same moment as others.
struct RandomFlows {
  std::vector<test::FluidFlow> flows;
  std::vector<double> bandwidth;
  double latency = 0.0;  ///< of every link; passes before a flow's start

  explicit RandomFlows(unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&](unsigned below) { return static_cast<int>(random() % below); };
    const unsigned links = 2 + seed % 5;
    latency = seed % 2 == 0 ? 0.0 : 1e-6;
    for (unsigned l = 0; l < links; ++l) bandwidth.push_back(1e9 * (1 + number(4)));
    for (int f = 0; f < 14; ++f) {
      test::FluidFlow flow;
      flow.start = 1e-4 * number(8);
      flow.bytes = 1e5 * (1 + number(10));
      for (unsigned l = 0; l < links; ++l)
        if (number(3) == 0) flow.links.push_back(static_cast<int>(l));
      if (flow.links.empty()) flow.links.push_back(number(links));
      flows.push_back(flow);
    }
  }

  Topology topology() const {
    test::Wiring wiring{2 * static_cast<int>(flows.size()), {}, {}};
    for (double rate : bandwidth) wiring.links.push_back({"link", {rate}, Seconds{latency}});
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const int from = 2 * static_cast<int>(f);
      wiring.routes[{from, from + 1}] = flows[f].links;
    }
    return test::wired_cluster(wiring);
  }
};

TEST(Oracle, SharesAreMaxMinFair) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomFlows random(seed);
    test::ProgramSketch sketch(2 * static_cast<int>(random.flows.size()));
    std::vector<InstructionId> sends;
    for (std::size_t f = 0; f < random.flows.size(); ++f) {
      const int from = 2 * static_cast<int>(f);
      test::FluidFlow& flow = random.flows[f];
      const auto before = sketch.compute(from, flow.start);
      sends.push_back(
          sketch.transfer({from, from + 1}, static_cast<std::uint64_t>(flow.bytes), {before}).send);
      flow.start += random.latency * static_cast<double>(flow.links.size());
    }
    const Program program = std::move(sketch).build();
    const std::vector<double> expected = test::fluid_ends(random.flows, random.bandwidth);
    for (TransferMode mode : {TransferMode::LoneAsTimers, TransferMode::AllAsFlows}) {
      const auto result = simulate(program, random.topology(), {.transfers = mode});
      const Timeline& timeline = std::get<Timeline>(result.outcome);
      for (std::size_t f = 0; f < sends.size(); ++f)
        EXPECT_NEAR(timeline.end[sends[f].index()].count(), expected[f], 1e-12)
            << "seed " << seed << ", flow " << f;
    }
  }
}

}  // namespace
}  // namespace pipegraph
