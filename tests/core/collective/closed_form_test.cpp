#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/collective/collective.h"
#include "core/collective/collective_time.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

std::vector<DeviceId> all_devices(const Topology& topology) {
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < topology.size(); ++d) devices.push_back(make_id<DeviceId>(d));
  return devices;
}

double time_of(const char* algorithm, double bytes, const Topology& topology) {
  const std::vector<DeviceId> devices = all_devices(topology);
  const StepList list =
      find_collective(algorithm)->steps(bytes, collective_members(devices, topology));
  return collective_time(list, devices, topology).count();
}

/// Two nodes of two devices: 1 s and 1 B/s inside, 10 s and 0.5 B/s between, private links.
Topology two_nodes() {
  class Pairs : public Router {
   public:
    std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
      return {LinkId{4 * from.value + to.value}};
    }
  };
  std::vector<Device> devices(4);
  for (std::size_t d = 0; d < 4; ++d) devices[d].node = static_cast<int>(d / 2);
  std::vector<Link> links;
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      links.push_back(from / 2 == to / 2 ? Link{"inside", {1.0}, Seconds{1}}
                                         : Link{"between", {0.5}, Seconds{10}});
  return Topology("two nodes", devices, links, std::make_shared<Pairs>());
}

constexpr double k_bytes = 100e6;
constexpr double k_rate = 50e9;
constexpr double k_latency = 10e-9;

// 2 (d-1)/d n/c = 2 x 7/8 x 100 MB / (50 GB/s) = 3.5 ms; 2 (d-1) l = 14 x 10 ns = 140 ns.
TEST(CollectiveTime, RingOfEightTakes3500MicrosecondsAnd140Nanoseconds) {
  const Topology topology = test::ported_cluster(8, Seconds{k_latency}, {k_rate});
  EXPECT_NEAR(time_of("ring", k_bytes, topology), 3.5e-3 + 140e-9, 1e-15);
  EXPECT_NEAR(time_of("ring_aggregated", k_bytes, topology), 3.5e-3 + 140e-9, 1e-15);
}

TEST(CollectiveTime, RingFollowsTheClosedFormForAnyNumberOfMembers) {
  for (int d : {2, 3, 5, 12, 17}) {
    const Topology topology = test::ported_cluster(d, Seconds{1e-6}, {1e9});
    const double expected = 2.0 * (d - 1) / d * 3e6 / 1e9 + 2.0 * (d - 1) * 1e-6;
    for (const char* algorithm : {"ring", "ring_aggregated", "auto"})
      EXPECT_NEAR(time_of(algorithm, 3e6, topology), expected, 1e-14) << algorithm << " of " << d;
  }
}

// log2(8) = 3 rounds each way; they move 1/2, 1/4 and 1/8 of the vector: together (d-1)/d.
TEST(CollectiveTime, HalvingDoublingPaysTwiceLog2Latencies) {
  const Topology topology = test::ported_cluster(8, Seconds{k_latency}, {k_rate});
  EXPECT_NEAR(time_of("halving_doubling", k_bytes, topology), 3.5e-3 + 60e-9, 1e-15);
}

// Both phases send n / 8 on every private link at once: 2 (0.25 ms + 10 ns).
TEST(CollectiveTime, DirectPaysTwoLatencies) {
  const Topology topology = test::ported_cluster(8, Seconds{k_latency}, {k_rate});
  EXPECT_NEAR(time_of("direct", k_bytes, topology), 0.5e-3 + 20e-9, 1e-15);
}

// n = 8 B, g = m = 2: inside 2 (g-1)(n/(g c) + l) = 2 (4 + 1) = 10 s,
// between 2 (m-1)(n/(g m c') + l') = 2 (4 + 10) = 28 s.
TEST(CollectiveTime, HierarchicalAddsInsideAndBetween) {
  EXPECT_NEAR(time_of("hierarchical", 8.0, two_nodes()), 38.0, 1e-12);
  EXPECT_NEAR(time_of("hierarchical_aggregated", 8.0, two_nodes()), 38.0, 1e-12);
}

TEST(CollectiveTime, OneMemberHasNothingToDo) {
  const Topology topology = test::ported_cluster(1, Seconds{1}, {1.0});
  for (const CollectiveEntry& entry : collective_table())
    EXPECT_EQ(time_of(entry.name.data(), 5.0, topology), 0.0) << entry.name;
}

TEST(CollectiveTime, EmptyVectorPaysLatenciesOnly) {
  const Topology topology = test::ported_cluster(4, Seconds{2}, {1.0});
  EXPECT_DOUBLE_EQ(time_of("ring", 0.0, topology), 12.0);
  EXPECT_DOUBLE_EQ(time_of("ring_aggregated", 0.0, topology), 12.0);
}

/// Bytes each member sends.
std::vector<double> sent(const char* algorithm, std::size_t members) {
  std::vector<double> bytes(members, 0.0);
  const CollectiveMembers one_node{std::vector<std::int32_t>(members, 0)};
  for (const CollectiveStep& step : find_collective(algorithm)->steps(800.0, one_node).steps)
    bytes[static_cast<std::size_t>(step.from)] += step.bytes;
  return bytes;
}

// 2 (d-1)/d n = 2 x 7/8 x 800 = 1 400 B.
TEST(Collective, RingDirectAndHalvingDoublingMoveTheSameBytesPerDevice) {
  for (const char* algorithm : {"ring", "ring_aggregated", "direct", "halving_doubling"})
    for (double bytes : sent(algorithm, 8)) EXPECT_DOUBLE_EQ(bytes, 1400.0) << algorithm;
}

TEST(Collective, RingVisitsNodeAfterNode) {
  const CollectiveMembers interleaved{{0, 1, 0, 1, 0, 1}};
  std::map<std::pair<std::int32_t, std::int32_t>, int> crossings;
  for (const CollectiveStep& step : find_collective("ring")->steps(6.0, interleaved).steps)
    if (step.from % 2 != step.to % 2) ++crossings[{step.from, step.to}];
  // Nodes {0, 2, 4} and {1, 3, 5}: out once, back once.
  ASSERT_EQ(crossings.size(), 2U);
  EXPECT_EQ(crossings.begin()->first, std::pair(4, 1));
  EXPECT_EQ(crossings.rbegin()->first, std::pair(5, 0));
}

TEST(Collective, LargeGroupsGetOneFlowPerMember) {
  const CollectiveMembers members{std::vector<std::int32_t>(2048, 0)};
  EXPECT_EQ(find_collective("auto")->steps(1e9, members).steps.size(), 2048U);
}

TEST(Collective, UnknownNameIsNull) { EXPECT_EQ(find_collective("rign"), nullptr); }

}  // namespace
}  // namespace pipegraph
