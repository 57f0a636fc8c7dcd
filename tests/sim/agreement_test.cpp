// Properties on random programs: without shared links SimGrid and the analytic backend agree, and
// with them the two ways of carrying lone transfers do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/run/analytic_backend.h"
#include "core/run/link_bytes.h"
#include "core/run/sharing_backend.h"
#include "sim/simulate.h"
#include "tests/support/random_programs.h"
#include "tests/support/timeline_checks.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

using test::random_program;
using test::RandomProgram;

/// Largest difference of starts and ends over the bar: 1e-9 of the makespan, 1e-12 s if larger.
double disagreement(const Timeline& a, const Timeline& b) {
  const double bar = std::max(1e-9 * a.makespan().count(), 1e-12);
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs((a.start[i] - b.start[i]).count()) / bar);
    largest = std::max(largest, std::abs((a.end[i] - b.end[i]).count()) / bar);
  }
  return largest;
}

Timeline timeline_of(const SimulationResult& result) { return std::get<Timeline>(result.outcome); }

Timeline analytic(const Program& program, const Topology& topology) {
  return std::get<Timeline>(run_program(program, *make_analytic_backend(program, topology)));
}

TEST(Agreement, SimGridEqualsTheAnalyticBackendWhereNoLinkIsShared) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const int devices = 2 + static_cast<int>(seed % 6);
    const Program program =
        random_program({.seed = seed, .devices = devices, .events = 150, .apart = true});
    const Topology topology = test::mesh_cluster(devices, Seconds{1e-6 * (seed % 3)}, {1e9});
    const Timeline expected = analytic(program, topology);
    for (TransferMode mode : {TransferMode::LoneAsTimers, TransferMode::AllAsFlows}) {
      const SimulationResult result = simulate(program, topology, {.transfers = mode});
      EXPECT_LE(disagreement(expected, timeline_of(result)), 1.0) << "seed " << seed;
      if (mode == TransferMode::LoneAsTimers) {
        EXPECT_EQ(result.counts.flows, 0U) << "seed " << seed;
      }
    }
  }
}

TEST(Agreement, TimersEqualFlowsOnContendedPrograms) {
  std::uint64_t converted = 0;
  std::uint64_t timers = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int per_node = 1 + static_cast<int>(seed % 4);
    const Program program = random_program(
        {.seed = seed, .devices = 3 * per_node, .events = 200, .longest_compute = 2e-4});
    const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = per_node});
    const SimulationResult lone = simulate(program, topology);
    const SimulationResult full =
        simulate(program, topology, {.transfers = TransferMode::AllAsFlows});
    EXPECT_LE(disagreement(timeline_of(full), timeline_of(lone)), 1.0) << "seed " << seed;
    EXPECT_EQ(full.counts.converted + full.counts.timers, 0U);
    converted += lone.counts.converted;
    timers += lone.counts.timers;
  }
  EXPECT_GT(converted, 1000U);  // the cases that matter occur
  EXPECT_GT(timers, 1000U);
}

TEST(Agreement, SimGridEqualsTheSharingBackendOnContendedPrograms) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int per_node = 1 + static_cast<int>(seed % 4);
    const Program program = random_program(
        {.seed = seed, .devices = 3 * per_node, .events = 200, .longest_compute = 2e-4});
    const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = per_node});
    const Timeline sharing =
        std::get<Timeline>(run_program(program, *make_sharing_backend(program, topology)));
    EXPECT_LE(disagreement(sharing, timeline_of(simulate(program, topology))), 1.0)
        << "seed " << seed;
  }
}

TEST(Agreement, SimulatedContentionNeverEndsBeforeTheAnalyticBackend) {
  const Program program = random_program({.seed = 3, .devices = 6, .events = 200});
  const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = 2});
  EXPECT_GT(timeline_of(simulate(program, topology)).makespan(),
            analytic(program, topology).makespan());
}

TEST(Agreement, EveryTopologyLinkCarriesWhatTheProgramSends) {
  const Program program = random_program({.seed = 11, .devices = 6, .events = 200});
  const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = 2});
  const std::vector<double> expected = link_bytes(program, topology);
  for (TransferMode mode : {TransferMode::LoneAsTimers, TransferMode::AllAsFlows}) {
    const auto carried = simulate(program, topology, {.transfers = mode}).link_bytes;
    ASSERT_EQ(carried.size(), expected.size());
    for (std::size_t i = 0; i < carried.size(); ++i)
      EXPECT_NEAR(carried[i], expected[i], 1e-9 * expected[i]) << topology.links()[i].name;
  }
}

TEST(Agreement, RunsAreBitIdentical) {
  const Program program = random_program({.seed = 5, .devices = 6, .events = 300});
  const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = 2});
  for (TransferMode mode : {TransferMode::LoneAsTimers, TransferMode::AllAsFlows}) {
    const SimulationOptions options{.transfers = mode};
    EXPECT_EQ(timeline_of(simulate(program, topology, options)),
              timeline_of(simulate(program, topology, options)));
  }
}

TEST(Agreement, EveryNetworkModelKeepsTheRulesUnderContention) {
  const Program program = random_program({.seed = 8, .devices = 6, .events = 200});
  const Topology topology = test::shared_port_cluster({.nodes = 3, .per_node = 2});
  for (NetworkModel model : {NetworkModel::Lv08, NetworkModel::Smpi, NetworkModel::Ib}) {
    const SimulationOptions options{.network = model};
    const Timeline timeline = timeline_of(simulate(program, topology, options));
    EXPECT_EQ(test::broken_rule(program, timeline, test::Promptness::AtOnce), "") << to_text(model);
    EXPECT_EQ(timeline, timeline_of(simulate(program, topology, options))) << to_text(model);
  }
}

// Sizes up to 4 TB (aggregated: 8 TB) leave room for fewer binary places of a byte.
TEST(Agreement, HugeMessagesAreStillExact) {
  const Program program = random_program({.seed = 2,
                                          .devices = 4,
                                          .events = 60,
                                          .most_bytes = 4'000'000'000'000,
                                          .longest_compute = 100.0,
                                          .apart = true});
  const Topology topology = test::mesh_cluster(4, Seconds{1e-6}, {1e9});
  const auto result = simulate(program, topology, {.transfers = TransferMode::AllAsFlows});
  EXPECT_LE(disagreement(analytic(program, topology), timeline_of(result)), 1.0);
}

}  // namespace
}  // namespace pipegraph
