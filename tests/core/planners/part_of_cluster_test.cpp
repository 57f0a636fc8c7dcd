// Plans for some devices of a cluster alone: a slow or small device never makes the pipegraph
// planner worse than not having it.
#include "core/planners/part_of_cluster.h"

#include <gmock/gmock.h>

#include "core/planners/equal_devices.h"
#include "core/planners/pipegraph.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;

/// Two operators of 1 + 2 s on three devices, the first of which takes three times as long.
Workload workload_with_a_slow_device() {
  std::vector<Device> devices = test::ideal_cluster(3).devices();
  devices[0].slowdown = 3;
  return test::tiny_workload(test::chain_graph(2), test::ideal_cluster(3).with_devices(devices),
                             {.mini_batch = 3});
}

TEST(EqualDevices, AreRatedByWhatTheModelTakes) {
  const Workload workload = workload_with_a_slow_device();
  EXPECT_THAT(equally_fast(workload), ElementsAre(0, 1, 1));
  // 2 x 3 s a sample, one sample each.
  EXPECT_THAT(device_speeds(workload), ElementsAre(1.0 / 18, 1.0 / 6, 1.0 / 6));
  EXPECT_THAT(best_devices_first(workload), ElementsAre(DeviceId{1}, DeviceId{2}, DeviceId{0}));
}

TEST(PartOfCluster, IsWorthWhileWhereDevicesDiffer) {
  EXPECT_THAT(better_parts(workload_with_a_slow_device()),
              ElementsAre(ElementsAre(DeviceId{1}, DeviceId{2})));
  const Workload equal = test::tiny_workload(test::chain_graph(2), test::ideal_cluster(3));
  EXPECT_TRUE(better_parts(equal).empty());
  EXPECT_TRUE(best_devices_first(equal).empty());
}

TEST(PartOfCluster, KeepsItsRoutesAndNumbersItsNodes) {
  const Topology cluster = test::shared_port_cluster({.nodes = 3});
  const Workload workload = test::tiny_workload(test::chain_graph(2), cluster);
  const Workload part = on_part_of_cluster(workload, {DeviceId{4}, DeviceId{2}, DeviceId{5}});
  EXPECT_EQ(part.topology->nodes(), 2);
  EXPECT_EQ(part.topology->device(DeviceId{0}).node, part.topology->device(DeviceId{2}).node);
  EXPECT_EQ(part.topology->route(DeviceId{0}, DeviceId{1}),
            cluster.route(DeviceId{4}, DeviceId{2}));
  EXPECT_THAT(parts_of_nodes(cluster),
              ElementsAre(ElementsAre(DeviceId{0}, DeviceId{1}),
                          ElementsAre(DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3})));
}

TEST(PartOfCluster, LeavesTheOtherDevicesUnused) {
  const Workload workload = workload_with_a_slow_device();
  Plan plan;
  plan.stages = test::stage_per_operator(*workload.graph);
  plan = on_whole_cluster(std::move(plan), workload, {DeviceId{2}, DeviceId{1}});
  EXPECT_EQ(plan.stages[0].devices, std::vector{DeviceId{2}});
  EXPECT_EQ(plan.stages[1].devices, std::vector{DeviceId{1}});
  EXPECT_EQ(plan.unused_devices, std::vector{DeviceId{0}});
}

double seconds(const Workload& workload, const PlannerResult& result) {
  const Plan* plan = std::get_if<Plan>(&result);
  return plan == nullptr ? std::numeric_limits<double>::infinity()
                         : evaluate(workload, *plan).iteration_time.count();
}

TEST(PartOfCluster, MakesASlowerDeviceNoLoss) {
  // The same random problem with a device more, which is slower, at either end of the cluster.
  constexpr double k_slowdowns[] = {1.5, 4.0, 20.0};
  const PipegraphOptions own{.evaluations = 60, .links = LinkRates::Own};
  int planned = 0;
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Workload without = random_workload(seed + 90'000).workload;
    const std::size_t size = without.topology->size();
    if (size < 2) continue;
    const Route route = without.topology->route(DeviceId{0}, DeviceId{1});
    const Topology larger =
        test::ported_cluster(static_cast<int>(size) + 1, route.latency,
                             without.topology->bandwidth(route), without.topology->devices()[0]);
    std::vector<Device> devices = larger.devices();
    devices[seed % 2 == 0 ? 0 : size].slowdown = k_slowdowns[seed % 3];
    Workload with = without;
    with.topology = std::make_shared<const Topology>(larger.with_devices(devices));
    const double before = seconds(without, plan_pipegraph(without, {}, own));
    const double after = seconds(with, plan_pipegraph(with, {}, own));
    if (before < std::numeric_limits<double>::infinity()) ++planned;
    // Local search may end elsewhere from more candidates, but not far.
    EXPECT_LE(after, before * 1.01) << "seed " << seed;
    if (after < before * 0.99) ++better;
  }
  EXPECT_GT(planned, 20);
  EXPECT_GT(better, 3);
}

}  // namespace
}  // namespace pipegraph
