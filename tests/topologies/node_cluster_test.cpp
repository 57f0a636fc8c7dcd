#include "topologies/node_cluster.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/topologies/route_checks.h"

namespace pipegraph {
namespace {

using Names = std::vector<std::string>;
using test::names;

LinkRate rate(double bandwidth, double latency) { return {{bandwidth}, Seconds{latency}}; }

/// Two sockets of two devices: a mesh in the socket, host links of 2 B/s, an X-Bus of 3 B/s.
NodeOptions two_sockets() {
  NodeOptions node;
  node.devices = 4;
  node.sockets = 2;
  node.device_links = FullMesh{rate(5, 0.5)};
  node.host = rate(2, 0.125);
  node.socket_link = rate(3, 0.25);
  return node;
}

Topology one_node(const NodeOptions& node) { return node_cluster({.node = node}); }

TEST(NodeCluster, DevicesOfASocketHaveALinkPerDirection) {
  const Topology node = one_node(two_sockets());
  EXPECT_EQ(names(node, DeviceId{0}, DeviceId{1}), (Names{"node0/gpu0->node0/gpu1"}));
  EXPECT_EQ(names(node, DeviceId{1}, DeviceId{0}), (Names{"node0/gpu1->node0/gpu0"}));
  // 0.5 s + 10 B / 5 B/s
  EXPECT_EQ(node.transfer_time(DeviceId{0}, DeviceId{1}, 10.0), Seconds{2.5});
}

TEST(NodeCluster, SocketsAreJoinedThroughTheHost) {
  const Topology node = one_node(two_sockets());
  EXPECT_EQ(names(node, DeviceId{1}, DeviceId{2}),
            (Names{"node0/gpu1->node0/socket0", "node0/socket0->node0/socket1",
                   "node0/socket1->node0/gpu2"}));
  // 2 x 0.125 + 0.25 s latency; the host links of 2 B/s are the slowest: 10 B take 5 s.
  EXPECT_EQ(node.transfer_time(DeviceId{1}, DeviceId{2}, 10.0), Seconds{5.5});
  EXPECT_EQ(node.device(DeviceId{1}).socket, 0);
  EXPECT_EQ(node.device(DeviceId{2}).socket, 1);
}

TEST(NodeCluster, NvSwitchHasAnUpAndADownLinkPerDevice) {
  NodeOptions node;
  node.devices = 3;
  node.device_links = NvSwitch{rate(4, 1.0)};
  const Topology cluster = one_node(node);
  EXPECT_EQ(names(cluster, DeviceId{0}, DeviceId{2}),
            (Names{"node0/gpu0->node0/nvswitch", "node0/nvswitch->node0/gpu2"}));
  EXPECT_EQ(cluster.route(DeviceId{0}, DeviceId{2}).latency, Seconds{1.0});
  EXPECT_EQ(cluster.links().size(), 6U);
}

/// Two sockets of two PCIe switches of two devices each.
NodeOptions pcie_tree() {
  NodeOptions node;
  node.devices = 8;
  node.sockets = 2;
  node.host = rate(2, 1);
  node.pcie = PcieSwitches{2, rate(2, 1)};
  node.socket_link = rate(2, 1);
  return node;
}

TEST(NodeCluster, PcieTreeClimbsOnlyAsFarAsNeeded) {
  const Topology node = one_node(pcie_tree());
  EXPECT_EQ(names(node, DeviceId{0}, DeviceId{1}),
            (Names{"node0/gpu0->node0/pcie0", "node0/pcie0->node0/gpu1"}));
  EXPECT_EQ(names(node, DeviceId{0}, DeviceId{2}),
            (Names{"node0/gpu0->node0/pcie0", "node0/pcie0->node0/socket0",
                   "node0/socket0->node0/pcie1", "node0/pcie1->node0/gpu2"}));
  EXPECT_EQ(names(node, DeviceId{0}, DeviceId{7}),
            (Names{"node0/gpu0->node0/pcie0", "node0/pcie0->node0/socket0",
                   "node0/socket0->node0/socket1", "node0/socket1->node0/pcie3",
                   "node0/pcie3->node0/gpu7"}));
}

TEST(NodeCluster, PairsWithoutALinkGoThroughTheHost) {
  NodeOptions node;
  node.devices = 3;
  node.device_links = DevicePairs{rate(5, 0), {{0, 1, 2}, {1, 2, 1}, {0, 7, 1}}};
  node.host = rate(1, 0);
  const Topology cluster = one_node(node);
  EXPECT_EQ(cluster.bandwidth(cluster.route(DeviceId{1}, DeviceId{0})).value, 10.0);  // two lanes
  EXPECT_EQ(cluster.bandwidth(cluster.route(DeviceId{1}, DeviceId{2})).value, 5.0);
  EXPECT_EQ(names(cluster, DeviceId{0}, DeviceId{2}),
            (Names{"node0/gpu0->node0/socket0", "node0/socket0->node0/gpu2"}));
}

TEST(NodeCluster, NodesAreJoinedByTheCardsOfTheirSockets) {
  NodeClusterOptions options{.nodes = 2, .node = two_sockets()};
  options.node.nics = Nics{2, rate(1, 4), NicPlace::Socket};
  const Topology cluster = node_cluster(options);
  EXPECT_EQ(names(cluster, DeviceId{1}, DeviceId{6}),
            (Names{"node0/gpu1->node0/socket0", "node0/nic0->switch", "switch->node1/nic1",
                   "node1/socket1->node1/gpu2"}));
  // 0.125 + 4 + 4 + 0.125 s, and 10 B at the cards' 1 B/s
  EXPECT_EQ(cluster.transfer_time(DeviceId{1}, DeviceId{6}, 10.0), Seconds{18.25});
  EXPECT_EQ(cluster.nodes(), 2);
  EXPECT_EQ(cluster.device(DeviceId{6}).name, "node1/gpu2");
}

TEST(NodeCluster, OneSharedCardIsReachedAcrossSockets) {
  NodeClusterOptions options{.nodes = 2, .node = two_sockets()};
  options.node.nics = Nics{1, rate(1, 0), NicPlace::Socket};
  EXPECT_EQ(names(node_cluster(options), DeviceId{3}, DeviceId{4}),
            (Names{"node0/gpu3->node0/socket1", "node0/socket1->node0/socket0",
                   "node0/nic0->switch", "switch->node1/nic0", "node1/socket0->node1/gpu0"}));
}

TEST(NodeCluster, CardsOnPcieSwitchesAvoidTheSocket) {
  NodeClusterOptions options{.nodes = 2, .node = pcie_tree()};
  options.node.nics = Nics{4, rate(1, 0), NicPlace::PcieSwitch};
  EXPECT_EQ(names(node_cluster(options), DeviceId{3}, DeviceId{14}),
            (Names{"node0/gpu3->node0/pcie1", "node0/nic1->switch", "switch->node1/nic3",
                   "node1/pcie3->node1/gpu6"}));
  options.node.nics->per_node = 2;  // one per socket, on the socket's first switch
  EXPECT_EQ(
      names(node_cluster(options), DeviceId{3}, DeviceId{8}),
      (Names{"node0/gpu3->node0/pcie1", "node0/pcie1->node0/socket0", "node0/socket0->node0/pcie0",
             "node0/nic0->switch", "switch->node1/nic0", "node1/pcie0->node1/gpu0"}));
}

TEST(NodeCluster, RailsMeetAtALeaf) {
  NodeClusterOptions options{.nodes = 4};
  options.node.devices = 2;
  options.node.device_links = FullMesh{rate(1, 0)};
  options.node.nics = Nics{2, rate(1, 0), NicPlace::Socket};
  options.fabric = FatTreeOptions{.ports_per_leaf = 2, .cable = rate(1, 0)};
  options.wiring = Wiring::ByRail;
  const Topology rails = node_cluster(options);
  // Nodes 0 and 1 form a block: cards 0 at leaf 0, cards 1 at leaf 1.
  EXPECT_EQ(names(rails, DeviceId{1}, DeviceId{3}),
            (Names{"node0/nic1->leaf1", "leaf1->node1/nic1"}));
  EXPECT_EQ(names(rails, DeviceId{0}, DeviceId{3}).size(), 4U);
  options.wiring = Wiring::ByNode;
  EXPECT_EQ(names(node_cluster(options), DeviceId{1}, DeviceId{3}).size(), 4U);
  test::expect_sound_routes(rails);
}

TEST(NodeCluster, TorusPointsAreTheDevicesWhereThereAreNoCards) {
  NodeClusterOptions options{.nodes = 4};
  options.fabric = TorusOptions{.dimensions = {2, 2}, .cable = rate(1, 2)};
  const Topology torus = node_cluster(options);
  EXPECT_EQ(names(torus, DeviceId{0}, DeviceId{3}),
            (Names{"torus(0,0)->torus(1,0)", "torus(1,0)->torus(1,1)"}));
  EXPECT_EQ(torus.route(DeviceId{0}, DeviceId{3}).latency, Seconds{4});
}

std::vector<FabricOptions> all_fabrics() {
  return {StarOptions{}, FatTreeOptions{.ports_per_leaf = 3},
          FatTreeOptions{.ports_per_leaf = 2, .leaves_per_pod = 2, .leaf_taper = 2},
          DragonflyOptions{
              .ports_per_switch = 2, .switches_per_group = 2, .global_cables_per_switch = 3},
          TorusOptions{.dimensions = {2, 3}}};
}

/// Six nodes over every fabric; returns how many of the combinations make a cluster.
int expect_sound_in_every_fabric(const NodeOptions& node) {
  int sound = 0;
  for (const FabricOptions& fabric : all_fabrics()) {
    NodeClusterOptions options;
    options.nodes = 6;
    options.node = node;
    options.fabric = fabric;
    if (find_problem(options)) continue;
    test::expect_sound_routes(node_cluster(options));
    ++sound;
  }
  return sound;
}

TEST(NodeCluster, RoutesOfAllShapesAreSound) {
  NodeOptions nvswitch = pcie_tree();
  nvswitch.device_links = NvSwitch{rate(1, 0)};
  for (NodeOptions node : {two_sockets(), pcie_tree(), nvswitch}) {
    test::expect_sound_routes(one_node(node));
    for (int nics : {1, 2, 4}) {
      node.nics = Nics{nics, rate(1, 1), NicPlace::Socket};
      EXPECT_EQ(expect_sound_in_every_fabric(node), 5);
      node.nics->place = NicPlace::PcieSwitch;
      expect_sound_in_every_fabric(node);
    }
  }
}

TEST(NodeCluster, RefusesDevicesWithoutAWay) {
  NodeOptions node;
  node.devices = 2;
  EXPECT_TRUE(find_problem(node));
  node.device_links = FullMesh{rate(1, 0)};
  EXPECT_FALSE(find_problem(node));
  node.sockets = 2;
  EXPECT_TRUE(find_problem(node));
  node.host = rate(1, 0);
  EXPECT_TRUE(find_problem(node));
  node.socket_link = rate(1, 0);
  EXPECT_FALSE(find_problem(node));
}

TEST(NodeCluster, RefusesWhatDoesNotFitTogether) {
  EXPECT_EQ(find_problem(NodeClusterOptions{.nodes = 2})->expected,
            "nics: {per_node, bandwidth, latency}");
  EXPECT_EQ(find_problem(NodeClusterOptions{.nodes = k_most_devices + 1})->key, "nodes");
  NodeClusterOptions torus{.nodes = 6};
  torus.fabric = TorusOptions{.dimensions = {2, 4}};
  EXPECT_EQ(find_problem(torus)->key, "fabric.dimensions");
  NodeClusterOptions mesh{.nodes = 1000};
  mesh.node.devices = 1024;
  mesh.node.device_links = FullMesh{rate(1, 0)};
  mesh.node.nics = Nics{};
  EXPECT_NE(find_problem(mesh)->problem.find("links"), std::string::npos);
}

TEST(NodeCluster, HundredThousandDevicesBuildQuickly) {
  NodeClusterOptions options{.nodes = 12'500};
  options.node = pcie_tree();
  options.node.device_links = NvSwitch{rate(1, 0)};
  options.node.nics = Nics{8, rate(1, 0), NicPlace::PcieSwitch};
  options.fabric = FatTreeOptions{.ports_per_leaf = 20, .leaves_per_pod = 40};
  options.wiring = Wiring::ByRail;
  const auto before = std::chrono::steady_clock::now();
  const Topology cluster = node_cluster(options);
  const Seconds took = std::chrono::steady_clock::now() - before;
  EXPECT_EQ(cluster.size(), 100'000U);
  EXPECT_FALSE(cluster.route(DeviceId{0}, DeviceId{99'999}).links.empty());
  RecordProperty("build_seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 5.0);
}

}  // namespace
}  // namespace pipegraph
