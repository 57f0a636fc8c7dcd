#include "core/planners/placement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <random>

#include "core/planners/traffic.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"
#include "tests/support/wired_clusters.h"
#include "topologies/cluster_reader.h"

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

TEST(Traffic, GoesAroundARingNodeAfterNode) {
  // Nodes of the devices: 0 1 0 1. Whatever their order in the stage, the ring crosses between the
  // nodes twice: 2 (4 - 1) messages on two edges of 1 s and two of 10 s.
  const Workload workload =
      test::tiny_workload(test::chain_graph(1, {.parameters = Bytes{400}}), TwoNodes::make());
  std::vector<Stage> list = test::stage_per_operator(*workload.graph, 4);
  for (const std::vector<DeviceId>& devices :
       {std::vector{DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3}},
        std::vector{DeviceId{2}, DeviceId{0}, DeviceId{3}, DeviceId{1}}}) {
    list[0].devices = devices;
    EXPECT_EQ(transfer_time(workload, StageGraph(*workload.graph, list, PlanKind::Graph)),
              Seconds{6 * (1 + 10 + 1 + 10)});
  }
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

TEST(Placement, ExchangesDevicesWhoseDifferencesDoNotMatter) {
  // The operators give their times, and keep a few KiB: neither peaks nor memory of 1 GiB count.
  std::vector<Device> devices = TwoNodes::make().devices();
  devices[1].memory = Bytes{1 << 30};
  devices[2].peak.fill(FlopsPerSecond{1e12});
  devices[3].reserved = Bytes{1 << 20};
  devices[3].memory = Bytes{1 << 28};
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), TwoNodes::make().with_devices(devices));
  const std::vector<Stage> placed =
      place(workload, test::stage_per_operator(*workload.graph), PlannerOptions{});
  const StageGraph stages(*workload.graph, placed, PlanKind::Graph);
  EXPECT_EQ(transfer_time(workload, stages), Seconds{2 * (1 + 10 + 1)});  // as of equal devices
}

TEST(Placement, KeepsPlacesOffDevicesWithoutMemoryForThem) {
  // Parameters and gradients of a stage take 2 MiB. In either node one device has less.
  std::vector<Device> devices = TwoNodes::make().devices();
  devices[2].memory = devices[3].memory = Bytes{1 << 20};
  const Workload workload = test::tiny_workload(
      test::chain_graph(2, {.parameters = Bytes{1 << 20}}), TwoNodes::make().with_devices(devices));
  const std::vector<Stage> placed =
      place(workload, test::stage_per_operator(*workload.graph), PlannerOptions{});
  EXPECT_EQ(placed[0].devices.front(), DeviceId{0});
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

/// Stages of a random graph on the places 0, 1, ... of a cluster, some of them replicated.
struct RandomStages {
  Workload workload;
  std::vector<Stage> stages;
  PlannerOptions options;

  RandomStages(std::uint64_t seed, const Topology& cluster) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    std::vector<Operator> operators;
    const int count = pick(2, 10);
    const int density = pick(15, 60);
    for (int i = 0; i < count; ++i) {
      std::vector<OperatorId> inputs;
      for (int j = 0; j < i; ++j)
        if (pick(0, 99) < density) inputs.push_back(OperatorId{j});
      const auto kibibytes = [&](int most) {
        return Bytes{static_cast<std::uint64_t>(pick(1, most)) * 1024};
      };
      operators.push_back(
          test::tiny_operator("o" + std::to_string(i), inputs,
                              {.output = kibibytes(64), .parameters = kibibytes(256)}));
    }
    workload =
        test::tiny_workload(ComputationGraph("random", operators), cluster, {.mini_batch = 16});
    options.kind = pick(0, 1) == 0 ? PlanKind::Graph : PlanKind::Sequential;
    int place = 0;
    const auto devices = static_cast<int>(cluster.size());
    for (int i = 0; i < count; ++i) {
      if (stages.empty() || (place < devices && pick(0, 99) < 80)) {
        Stage& stage = stages.emplace_back();
        stage.micro_batch = 8;
        for (int d = pick(1, std::min(devices - place, 3)); d > 0; --d)
          stage.devices.push_back(DeviceId{place++});
      }
      stages.back().operators.push_back(OperatorId{i});
    }
  }

  double seconds(const std::vector<DeviceId>& device_of_place) const {
    std::vector<Stage> placed = stages;
    for (Stage& stage : placed)
      for (DeviceId& device : stage.devices) device = device_of_place[device.index()];
    return transfer_time(workload, StageGraph(*workload.graph, placed, options.kind)).count();
  }
  double placed_seconds() const {
    return transfer_time(workload, StageGraph(*workload.graph, place(workload, stages, options),
                                              options.kind))
        .count();
  }
};

TEST(Placement, IsWithinFivePercentOfAllPlacementsInTwoNodes) {
  // The four devices of a node are alike, so only which places share a node matters.
  const Topology cluster = test::shared_port_cluster({.nodes = 2, .per_node = 4});
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomStages random(seed, cluster);
    double best = std::numeric_limits<double>::infinity();
    for (unsigned first_node = 0; first_node < 256; ++first_node) {
      if (std::popcount(first_node) != 4) continue;
      std::vector<DeviceId> device_of_place;
      std::int32_t next[2] = {4, 0};
      for (unsigned place = 0; place < 8; ++place)
        device_of_place.emplace_back(next[(first_node >> place) & 1U]++);
      best = std::min(best, random.seconds(device_of_place));
    }
    const double found = random.placed_seconds();
    EXPECT_LE(found, 1.05 * best) << "seed " << seed;
    std::vector<DeviceId> contiguous;
    for (std::int32_t d = 0; d < 8; ++d) contiguous.emplace_back(d);
    if (found < 0.95 * random.seconds(contiguous)) ++better;
  }
  EXPECT_GT(better, 50);  // contiguous places would not do
}

TEST(Placement, IsWithinFivePercentOfAllPlacementsOnSummit) {
  // Two sockets a node: three devices and one. All 8! placements.
  const Topology cluster = read_cluster(YamlValue::parse(
      "{file: " PIPEGRAPH_SOURCE_DIR "/topologies/summit.yaml, nodes: 2, devices_per_node: 4}",
      "test"));
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const RandomStages random(seed, cluster);
    std::vector<DeviceId> device_of_place;
    for (std::int32_t d = 0; d < 8; ++d) device_of_place.emplace_back(d);
    double best = std::numeric_limits<double>::infinity();
    do {
      best = std::min(best, random.seconds(device_of_place));
    } while (std::next_permutation(device_of_place.begin(), device_of_place.end()));
    EXPECT_LE(random.placed_seconds(), 1.05 * best) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pipegraph
