#include "topologies/uniform.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

TEST(Uniform, RouteIsTheSendersUpLinkAndTheReceiversDownLink) {
  const Topology cluster = uniform_cluster(3, Seconds{5e-6}, {25e9});
  const Route route = cluster.route(DeviceId{2}, DeviceId{0});
  ASSERT_EQ(route.links.size(), 2U);
  EXPECT_EQ(cluster.link(route.links[0]).name, "gpu2->switch");
  EXPECT_EQ(cluster.link(route.links[1]).name, "switch->gpu0");
  EXPECT_EQ(route.latency, Seconds{5e-6});
  EXPECT_EQ(cluster.bandwidth(route).value, 25e9);
}

TEST(Uniform, TransferTakesLatencyAndBytesOverBandwidth) {
  // 50 MB at 25 GB/s are 2 ms.
  const Topology cluster = uniform_cluster(2, Seconds{1e-3}, {25e9});
  EXPECT_DOUBLE_EQ(cluster.transfer_time(DeviceId{0}, DeviceId{1}, 50e6).count(), 3e-3);
}

TEST(Uniform, IdealNetworkTakesNoTimeWhateverTheSize) {
  const Topology cluster = test::ideal_cluster(2);
  EXPECT_EQ(cluster.transfer_time(DeviceId{0}, DeviceId{1}, 1e18), Seconds{0});
  EXPECT_TRUE(cluster.device(DeviceId{0}).unlimited_memory());
}

TEST(Uniform, NothingIsCrossedFromADeviceToItself) {
  const Topology cluster = uniform_cluster(2, Seconds{1}, {1.0});
  EXPECT_EQ(cluster.route(DeviceId{1}, DeviceId{1}), Route{});
  EXPECT_EQ(cluster.transfer_time(DeviceId{1}, DeviceId{1}, 1e9), Seconds{0});
}

TEST(Uniform, DevicesAreCopiesWithTheirOwnName) {
  const Topology cluster = uniform_cluster(2, Seconds{0}, {1.0}, test::round_device());
  EXPECT_EQ(cluster.device(DeviceId{1}).name, "gpu1");
  EXPECT_EQ(cluster.device(DeviceId{1}).memory, Bytes{1'000'000'000});
  EXPECT_TRUE(cluster.homogeneous());
  EXPECT_EQ(cluster.nodes(), 1);
}

}  // namespace
}  // namespace pipegraph
