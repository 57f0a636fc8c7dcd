// Which plan the pipegraph planner returns where transfers share links: on networks whose nodes
// share a slow port, none of the other planners' is shorter there.
#include "core/planners/final_choice.h"

#include <gmock/gmock.h>

#include "core/planners/graphpipe.h"
#include "core/planners/other_planners.h"
#include "core/planners/pipedream.h"
#include "core/planners/pipegraph.h"
#include "core/planners/piper.h"
#include "models/table.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/wired_clusters.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

constexpr double k_never = std::numeric_limits<double>::infinity();

/// Two nodes of two devices behind ports so slow that transfers take as long as computes.
Topology slow_ports() {
  return test::shared_port_cluster({.latency = Seconds{1e-3},
                                    .inside = BytesPerSecond{40'960},
                                    .between = BytesPerSecond{4'096}});
}

/// A random graph on them, with the memory of its own devices.
Workload workload_with_slow_ports(std::uint64_t seed) {
  Workload workload = random_workload(seed).workload;
  const Topology cluster = slow_ports();
  std::vector<Device> devices = cluster.devices();
  for (Device& device : devices) device.memory = workload.topology->devices().front().memory;
  workload.topology = std::make_shared<const Topology>(cluster.with_devices(devices));
  return workload;
}

double seconds(const Workload& workload, const PlannerResult& result, LinkRates links) {
  const Plan* plan = std::get_if<Plan>(&result);
  return plan == nullptr ? k_never
                         : evaluate(workload, *plan, {.links = links}).iteration_time.count();
}

std::vector<PlannerResult> others(const Workload& workload) {
  return {plan_graphpipe(workload, {.kind = PlanKind::Graph}, {}),
          plan_graphpipe(workload, {.kind = PlanKind::Sequential}, {}),
          plan_pipedream(workload, {.kind = PlanKind::Sequential}, {}),
          plan_piper(workload, {.kind = PlanKind::Sequential}, {})};
}

TEST(FinalChoice, IsNeverWorseThanOtherPlannersOnSlowSharedPorts) {
  int shorter = 0;
  int against_the_analytic_time = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Workload workload = workload_with_slow_ports(seed + 60'000);
    const PlannerResult found = plan_pipegraph(workload, {}, {.evaluations = 60});
    const double shared = seconds(workload, found, LinkRates::Shared);
    const double alone = seconds(workload, found, LinkRates::Own);
    double least_shared = k_never;
    double least_alone = k_never;
    for (const PlannerResult& other : others(workload)) {
      least_shared = std::min(least_shared, seconds(workload, other, LinkRates::Shared));
      least_alone = std::min(least_alone, seconds(workload, other, LinkRates::Own));
    }
    EXPECT_LE(shared, least_shared * (1 + 1e-9)) << "seed " << seed;
    if (shared < least_shared * 0.99) ++shorter;
    if (least_alone == k_never || alone <= least_alone * (1 + 1e-9)) continue;
    ++against_the_analytic_time;  // never silently
    EXPECT_THAT(std::get<Plan>(found).search->notes,
                testing::Contains(testing::HasSubstr("with every transfer alone on its links")))
        << "seed " << seed;
  }
  EXPECT_GT(shorter, 10);
  EXPECT_GT(against_the_analytic_time, 0);
}

TEST(FinalChoice, GoesByTheAnalyticTimeWhereLinksAreAskedToBeOwn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Workload workload = workload_with_slow_ports(seed + 60'000);
    const PlannerResult found =
        plan_pipegraph(workload, {}, {.evaluations = 20, .links = LinkRates::Own});
    for (const PlannerResult& other : others(workload))
      EXPECT_LE(seconds(workload, found, LinkRates::Own),
                seconds(workload, other, LinkRates::Own) * (1 + 1e-9))
          << "seed " << seed;
  }
}

TEST(FinalChoice, KeepsOffANetworkOfOneGigabitPerSecond) {
  // The quickstart's transformer, whose plans of least time without sharing cross such a network.
  const Workload workload = test::tiny_workload(
      build_family(
          "multimodal_transformer",
          {{"branches", 4}, {"layers", 8}, {"hidden", 1024}, {"heads", 16}, {"sequence", 256}}),
      read_cluster(YamlValue::parse("{file: " PIPEGRAPH_SOURCE_DIR
                                    "/topologies/summit.yaml, nodes: 2, devices_per_node: 4,"
                                    " nics: {per_node: 2, bandwidth: 1 Gb/s}}",
                                    "test")),
      {.mini_batch = 128, .precision = Precision::Fp32Tensor});
  const double found = seconds(workload, plan_pipegraph(workload, {}, {}), LinkRates::Shared);
  for (const PlannerResult& other : others(workload))
    EXPECT_LE(found, seconds(workload, other, LinkRates::Shared) * (1 + 1e-9));
}

/// What `choose_finally` relies on to leave plans out.
TEST(SharedLinks, NeverMakeAnIterationShorter) {
  int longer = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Workload workload = workload_with_slow_ports(seed + 70'000);
    for (const PlannerResult& result : plans_of_others(workload, {}, {})) {
      const double alone = seconds(workload, result, LinkRates::Own);
      const double shared = seconds(workload, result, LinkRates::Shared);
      if (alone == k_never) continue;
      EXPECT_GE(shared, alone * (1 - 1e-12)) << "seed " << seed;
      if (shared > alone * 1.01) ++longer;
    }
  }
  EXPECT_GT(longer, 50);
}

TEST(BusiestLink, CarriesAllThatCrossesIt) {
  // A chain of four on devices 0, 2, 1, 3 goes out of node 0 twice, out of node 1 once, and
  // gradients go back: 3 edges x 8 samples x 1 KiB each way, through ports of 4 KiB/s.
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), slow_ports(), {.mini_batch = 8});
  Plan plan;
  plan.stages = test::stage_per_operator(*workload.graph);
  std::swap(plan.stages[1].devices, plan.stages[2].devices);
  const StageGraph stages(*workload.graph, plan.stages, PlanKind::Graph);
  EXPECT_DOUBLE_EQ(BusiestLink(workload).seconds(stages), 3 * 8 * 1024 / 4096.0);
  EXPECT_GE(seconds(workload, plan, LinkRates::Shared), 6.0);
}

}  // namespace
}  // namespace pipegraph
