#include "core/planners/placement.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/planners/traffic.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

/// Devices 0, 2 in node 0 and 1, 3 in node 1: 1 s of latency inside a node, 10 s between them.
class TwoNodes : public Router {
 public:
  std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
    return {LinkId{(from.value - to.value) % 2 == 0 ? 0 : 1}};
  }
  static Topology make() {
    std::vector<Device> devices(4);
    for (int d = 0; d < 4; ++d) {
      devices[static_cast<std::size_t>(d)].name = "d" + std::to_string(d);
      devices[static_cast<std::size_t>(d)].node = d % 2;
    }
    const BytesPerSecond unlimited{std::numeric_limits<double>::infinity()};
    return Topology("two nodes", devices,
                    {{"near", unlimited, Seconds{1}}, {"far", unlimited, Seconds{10}}},
                    std::make_shared<TwoNodes>());
  }
};

TEST(Traffic, CountsMessagesAndBytesBothWays) {
  // A chain of two stages, 8 samples in micro-batches of 2, 1 KiB each: 4 messages of 2 KiB.
  const Workload workload =
      test::tiny_workload(test::chain_graph(2), test::ideal_cluster(2), {.mini_batch = 8});
  const StageGraph stages(*workload.graph, test::stage_per_operator(*workload.graph, 2),
                          PlanKind::Graph);
  const std::vector<PlaceFlow> flows = traffic(workload, stages);
  ASSERT_EQ(flows.size(), 2U);
  for (const PlaceFlow& flow : flows) {
    EXPECT_DOUBLE_EQ(flow.messages, 4);
    EXPECT_DOUBLE_EQ(flow.bytes, 4 * 2 * 1024);
  }
}

TEST(Traffic, GoesBetweenReplicasThatShareSamples) {
  // Two replicas feed one stage: each sends half.
  const Workload workload =
      test::tiny_workload(test::chain_graph(2), test::ideal_cluster(3), {.mini_batch = 4});
  std::vector<Stage> list = test::stage_per_operator(*workload.graph, 2);
  list[0].devices = {DeviceId{0}, DeviceId{1}};
  list[1].devices = {DeviceId{2}};
  const std::vector<PlaceFlow> flows =
      traffic(workload, StageGraph(*workload.graph, list, PlanKind::Graph));
  ASSERT_EQ(flows.size(), 4U);  // 0 - 2 and 1 - 2, both ways
  for (const PlaceFlow& flow : flows) EXPECT_DOUBLE_EQ(flow.bytes, 2 * 1024);
}

TEST(Traffic, AddsTheRingOfAReplicatedStage) {
  // 300 bytes over 3 devices: 2 (3 - 1) messages of 100 bytes to the next one.
  const Workload workload = test::tiny_workload(test::chain_graph(1, {.parameters = Bytes{300}}),
                                                test::ideal_cluster(3), {.mini_batch = 3});
  const StageGraph stages(*workload.graph,
                          test::replicated(test::stage_per_operator(*workload.graph, 3), 3),
                          PlanKind::Graph);
  const std::vector<PlaceFlow> flows = traffic(workload, stages);
  ASSERT_EQ(flows.size(), 3U);
  EXPECT_DOUBLE_EQ(flows[0].messages, 4);
  EXPECT_DOUBLE_EQ(flows[0].bytes, 400);
}

TEST(Placement, PutsNeighboursIntoOneNode) {
  // A chain of four: two pairs inside a node and one message between them is the best there is.
  const Workload workload = test::tiny_workload(test::chain_graph(4), TwoNodes::make());
  const std::vector<Stage> placed =
      place(workload, test::stage_per_operator(*workload.graph), PlannerOptions{});
  const StageGraph stages(*workload.graph, placed, PlanKind::Graph);
  EXPECT_EQ(transfer_time(workload, stages), Seconds{2 * (1 + 10 + 1)});
}

TEST(Placement, UsesDevicesThatWouldStayIdle) {
  // Two stages fit into one node; places 0 and 1 would lie in two.
  const Workload workload = test::tiny_workload(test::chain_graph(2), TwoNodes::make());
  const std::vector<Stage> placed =
      place(workload, test::stage_per_operator(*workload.graph), PlannerOptions{});
  const StageGraph stages(*workload.graph, placed, PlanKind::Graph);
  EXPECT_EQ(transfer_time(workload, stages), Seconds{2});
}

TEST(Placement, LeavesADeviceOfAnotherKindInItsPlace) {
  std::vector<Device> devices = TwoNodes::make().devices();
  devices[1].slowdown = 2;
  const Workload workload =
      test::tiny_workload(test::chain_graph(2), TwoNodes::make().with_devices(devices));
  const std::vector<Stage> placed =
      place(workload, test::stage_per_operator(*workload.graph), PlannerOptions{});
  EXPECT_EQ(placed[1].devices.front(), DeviceId{1});
}

TEST(Placement, IsNeverWorseThanContiguousAndOptimalOnFourDevices) {
  const Workload workload = test::tiny_workload(test::diamond_graph(), TwoNodes::make());
  const auto time = [&](const std::vector<Stage>& stages) {
    return transfer_time(workload, StageGraph(*workload.graph, stages, PlanKind::Graph));
  };
  std::vector<Stage> stages = test::stage_per_operator(*workload.graph);
  const Seconds found = time(place(workload, stages, PlannerOptions{}));
  std::vector<int> order{0, 1, 2, 3};
  Seconds best = time(stages);
  do {
    for (std::size_t s = 0; s < 4; ++s) stages[s].devices = {DeviceId{order[s]}};
    best = std::min(best, time(stages));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(found, best);
}

}  // namespace
}  // namespace pipegraph
