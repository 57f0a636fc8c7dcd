// Where plans stand once transfers share links.
#include "core/planners/shared_placement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/planners/link_loads.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

constexpr double k_none = std::numeric_limits<double>::infinity();

std::vector<std::vector<DeviceId>> devices_of(const Plan& plan) {
  std::vector<std::vector<DeviceId>> devices;
  for (const Stage& stage : plan.stages) devices.push_back(stage.devices);
  return devices;
}

/// Two nodes of two devices: 10 GB/s inside, 2 GB/s in all between them each way, no latency.
Topology two_nodes() { return test::shared_port_cluster({.latency = Seconds{0}}); }

/// Two stages of two replicas, one node each, and one micro-batch: a sample for every replica.
struct StagePerNode {
  Workload workload;
  Plan plan;

  StagePerNode(const test::TinyOperator& costs, const Topology& cluster) {
    workload = test::tiny_workload(test::chain_graph(2, costs), cluster, {.mini_batch = 2});
    plan.schedule = "1f1b";
    plan.kind = PlanKind::Graph;
    plan.stages = test::replicated(test::stage_per_operator(*workload.graph, 2), 2);
  }
  double seconds(const Plan& which, LinkRates links) const {
    return evaluate(workload, which, {.links = links}).iteration_time.count();
  }
  RatedPlan placed(double longest) const {
    return placed_for_shared_links(workload, {}, {plan, seconds(plan, LinkRates::Own)}, longest);
  }
};

TEST(LinkLoads, AreTheBusyTimesOfTheBusiestLinks) {
  // Each way 1 GB of either replica: a node's port is busy 2 GB / (2 GB/s) = 1 s, out of and into
  // both nodes; a device's 0.1 s, out of and into four devices.
  const StagePerNode made({.output = Bytes{1'000'000'000}}, two_nodes());
  const StageGraph stages(*made.workload.graph, made.plan.stages, PlanKind::Graph);
  const PhasedTraffic traffic = phased_traffic(made.workload, stages);
  LinkLoads loads(*made.workload.topology, traffic,
                  {DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3}});
  EXPECT_NEAR(loads.seconds(), std::pow(4 + 8 * 1e-8, 1.0 / 8), 1e-9);

  loads.exchange(1, 2);  // now each replica talks to one in its node
  EXPECT_NEAR(loads.seconds(), 0.1 * std::pow(8, 1.0 / 8), 1e-9);
  EXPECT_EQ(loads.device_of_place(),
            (std::vector{DeviceId{0}, DeviceId{2}, DeviceId{1}, DeviceId{3}}));
}

TEST(LinkLoads, CountAllReducesApart) {
  // 1 GB over two replicas: both send 1 GB (two halves); a ring inside a node keeps to its ports.
  const StagePerNode made({.output = Bytes{0}, .parameters = Bytes{1'000'000'000}}, two_nodes());
  const StageGraph stages(*made.workload.graph, made.plan.stages, PlanKind::Graph);
  const PhasedTraffic traffic = phased_traffic(made.workload, stages);
  LinkLoads loads(*made.workload.topology, traffic,
                  {DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3}});
  EXPECT_NEAR(loads.seconds(), 0.1 * std::pow(8, 1.0 / 8), 1e-9);
  loads.exchange(1, 2);  // both rings through both nodes' ports
  EXPECT_NEAR(loads.seconds(), std::pow(4 + 8 * 1e-8, 1.0 / 8), 1e-9);
}

TEST(SharedPlacement, PutsReplicasThatTalkIntoOneNode) {
  // Forward and backward of both stages are 6 s. A message between nodes takes 0.5 s alone and 1 s
  // beside the other replica's, inside a node 0.1 s.
  const StagePerNode made({.output = Bytes{1'000'000'000}}, two_nodes());
  EXPECT_NEAR(made.seconds(made.plan, LinkRates::Own), 6 + 2 * 0.5, 1e-9);
  EXPECT_NEAR(made.seconds(made.plan, LinkRates::Shared), 6 + 2 * 1.0, 1e-9);

  const RatedPlan placed = made.placed(k_none);

  EXPECT_NEAR(placed.iteration_time_s, 6 + 2 * 0.1, 1e-9);
  EXPECT_NEAR(made.seconds(placed.plan, LinkRates::Shared), 6 + 2 * 0.1, 1e-9);
}

TEST(SharedPlacement, LeavesAPlanThatWouldBeTooLongWithEveryTransferAlone) {
  const StagePerNode made({.output = Bytes{1'000'000'000}}, two_nodes());
  EXPECT_EQ(devices_of(made.placed(6.1).plan), devices_of(made.plan));
}

TEST(SharedPlacement, LeavesRingsInsideTheirNodes) {
  const StagePerNode made({.parameters = Bytes{1'000'000'000}}, two_nodes());
  EXPECT_EQ(devices_of(made.placed(k_none).plan), devices_of(made.plan));
}

TEST(SharedPlacement, LeavesPlansOnUnequalDevices) {
  std::vector<Device> devices = two_nodes().devices();
  devices[3].slowdown = 1.5;
  const StagePerNode made({.output = Bytes{1'000'000'000}}, two_nodes().with_devices(devices));
  EXPECT_EQ(devices_of(made.placed(k_none).plan), devices_of(made.plan));
}

TEST(SharedPlacement, NeverMakesAPlanLongerOnSharedLinks) {
  const Topology cluster = test::shared_port_cluster({.nodes = 3,
                                                      .per_node = 3,
                                                      .latency = Seconds{0.01},
                                                      .inside = BytesPerSecond{4096.0},
                                                      .between = BytesPerSecond{1024.0}});
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomWorkload random = random_workload(seed + 30'000);
    random.workload.topology = std::make_shared<const Topology>(cluster);
    random.workload.training.mini_batch = 4;
    Plan plan;
    plan.schedule = "1f1b";
    plan.stages = test::stage_per_operator(*random.workload.graph, 2);
    if (plan.stages.size() <= 4) plan.stages = test::replicated(std::move(plan.stages), 2);
    for (auto d = static_cast<std::int32_t>(0); d < 9; ++d)
      if (std::ranges::none_of(plan.stages, [&](const Stage& stage) {
            return std::ranges::count(stage.devices, DeviceId{d}) > 0;
          }))
        plan.unused_devices.push_back(DeviceId{d});
    const auto seconds = [&](const Plan& which, LinkRates links) {
      return evaluate(random.workload, which, {.links = links}).iteration_time.count();
    };
    const double alone = seconds(plan, LinkRates::Own);

    const RatedPlan placed =
        placed_for_shared_links(random.workload, {}, {plan, alone}, alone * 1.001);

    EXPECT_LE(placed.iteration_time_s, alone * 1.001) << "seed " << seed;
    EXPECT_NEAR(placed.iteration_time_s, seconds(placed.plan, LinkRates::Own), 1e-9);
    if (devices_of(placed.plan) == devices_of(plan)) continue;
    ++moved;
    EXPECT_LT(seconds(placed.plan, LinkRates::Shared), seconds(plan, LinkRates::Shared))
        << "seed " << seed;
  }
  EXPECT_GT(moved, 20);
}

}  // namespace
}  // namespace pipegraph
