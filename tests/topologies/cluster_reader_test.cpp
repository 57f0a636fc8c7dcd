#include "topologies/cluster_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;

Topology read(const std::string& text) { return read_cluster(YamlValue::parse(text, "c.yaml")); }

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

const std::string k_nodes = R"(shape: node_cluster
nodes: 2
devices_per_node: 2
device_links: {kind: nvswitch, bandwidth: 4 GB/s, latency: 2 us}
nics: {per_node: 1, bandwidth: 8 Gb/s, latency: 1 us}
)";

TEST(ClusterReader, ReadsUniform) {
  const Topology cluster = read(
      "{shape: uniform, devices: 3, latency: 5 us, bandwidth: 25 GB/s,"
      " device: {memory: 16 GiB, overlap: false}}");
  EXPECT_EQ(cluster.size(), 3U);
  EXPECT_EQ(cluster.name(), "uniform");
  EXPECT_EQ(cluster.device(DeviceId{2}).memory, Bytes{std::uint64_t{16} << 30});
  EXPECT_FALSE(cluster.device(DeviceId{2}).overlap);
  EXPECT_EQ(cluster.route(DeviceId{0}, DeviceId{1}).latency, Seconds{5e-6});
}

TEST(ClusterReader, IdealNetworkWithoutDeviceHasUnlimitedMemory) {
  const Topology cluster = read("{shape: uniform, devices: 2, latency: 0 s, bandwidth: inf}");
  EXPECT_EQ(cluster.transfer_time(DeviceId{0}, DeviceId{1}, 1e15), Seconds{0});
  EXPECT_TRUE(cluster.device(DeviceId{0}).unlimited_memory());
}

TEST(ClusterReader, EfficiencyIsOneNumberOrOnePerPrecision) {
  const std::string uniform = "shape: uniform\ndevices: 1\nbandwidth: inf\n";
  const Device one = read(uniform + "device: {efficiency: 0.5}\n").device(DeviceId{0});
  for (double share : one.efficiency) EXPECT_EQ(share, 0.5);
  const Device some = read(uniform + "device: {efficiency: {fp16: 0.25}}\n").device(DeviceId{0});
  EXPECT_EQ(some.efficiency[static_cast<std::size_t>(Precision::Fp16)], 0.25);
  EXPECT_EQ(some.efficiency[static_cast<std::size_t>(Precision::Fp32)], 1.0);
}

TEST(ClusterReader, ReadsNodes) {
  const Topology cluster = read(k_nodes);
  EXPECT_EQ(cluster.size(), 4U);
  EXPECT_EQ(cluster.nodes(), 2);
  // card up and down, 1 us and 1 GB/s each: 1 MB takes 2 us + 1 ms
  EXPECT_DOUBLE_EQ(cluster.transfer_time(DeviceId{0}, DeviceId{3}, 1e6).count(), 1.002e-3);
}

TEST(ClusterReader, OverridesSelectByIndexPatternAndList) {
  const Topology cluster = read(k_nodes + R"(device: {memory: 8 GiB}
device_overrides:
  - {match: 0, slowdown: 2}
  - {match: "node1/*", memory: 4 GiB}
  - {match: [1, "*/gpu1"], reserved: 1 GiB}
)");
  EXPECT_EQ(cluster.device(DeviceId{0}).slowdown, 2.0);
  EXPECT_EQ(cluster.device(DeviceId{1}).slowdown, 1.0);
  EXPECT_EQ(cluster.device(DeviceId{1}).memory, Bytes{std::uint64_t{8} << 30});
  EXPECT_EQ(cluster.device(DeviceId{2}).memory, Bytes{std::uint64_t{4} << 30});
  EXPECT_EQ(cluster.device(DeviceId{2}).reserved, Bytes{0});
  EXPECT_EQ(cluster.device(DeviceId{3}).reserved, Bytes{std::uint64_t{1} << 30});
  EXPECT_FALSE(cluster.homogeneous());
}

TEST(ClusterReader, LinkOverridesChangeTheLinksThatAPatternNames) {
  // Cards of 1 GB/s and 1 us each way; of node 1 at half the rate out, and 7 us in.
  const Topology cluster = read(k_nodes + R"(link_overrides:
  - {match: "node1/nic*->*", bandwidth: 500 MB/s}
  - {match: ["*->node1/nic0"], latency: 7 us}
)");
  const auto seconds = [&](int from, int to) {
    return cluster.transfer_time(DeviceId{from}, DeviceId{to}, 1e6).count();
  };
  EXPECT_DOUBLE_EQ(seconds(0, 2), 8e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(seconds(2, 0), 2e-6 + 2e-3);
  EXPECT_DOUBLE_EQ(seconds(0, 1), 2e-6 + 0.25e-3);  // inside a node as before
}

TEST(ClusterReader, RefusesLinkOverridesThatChangeNothing) {
  EXPECT_THAT(error_of(k_nodes + "link_overrides: [{match: 'node7/*', bandwidth: 1 GB/s}]\n"),
              HasSubstr("link_overrides[0].match: no link is called 'node7/*'; expected a pattern "
                        "of names like 'node0/gpu0->node0/nvswitch'"));
  EXPECT_THAT(error_of(k_nodes + "link_overrides: [{match: '*'}]\n"),
              HasSubstr("link_overrides[0]: changes nothing"));
  EXPECT_THAT(error_of(k_nodes + "link_overrides: [{match: [], latency: 1 us}]\n"),
              HasSubstr("matches nothing"));
  EXPECT_THAT(error_of(k_nodes + "link_overrides: [{match: '*', bandwith: 1 GB/s}]\n"),
              HasSubstr("bandwidth"));
}

class ClusterFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("cluster_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

TEST_F(ClusterFile, KeysBesideTheFileReplaceItsOwn) {
  const std::string file = write("mine.yaml", k_nodes);
  const Topology cluster = read("{file: " + file + ", nodes: 3, devices_per_node: 4}");
  EXPECT_EQ(cluster.name(), "mine");
  EXPECT_EQ(cluster.size(), 12U);
  EXPECT_EQ(cluster.nodes(), 3);
}

TEST_F(ClusterFile, KeysWithDotsReplaceOneValueOfItsOwn) {
  const std::string file = write("mine.yaml", k_nodes);
  const Topology cluster = read("{file: " + file + ", nics.bandwidth: 4 Gb/s, nics.latency: 3 us}");
  EXPECT_DOUBLE_EQ(cluster.transfer_time(DeviceId{0}, DeviceId{3}, 1e6).count(), 6e-6 + 2e-3);
  EXPECT_THAT(error_of("{file: " + file + ", nics.bandwidth: 4}"), HasSubstr("'4' has no unit"));
  EXPECT_THAT(error_of("{file: " + file + ", nics.bandwith: 4 Gb/s}"),
              HasSubstr("nics.bandwith: unknown key"));
}

TEST_F(ClusterFile, MayReferToAnotherBesideIt) {
  write("base.yaml", k_nodes);
  const std::string file = write("derived.yaml", "{file: base.yaml, nodes: 1, name: small}");
  const Topology cluster = read("{file: " + file + "}");
  EXPECT_EQ(cluster.name(), "small");
  EXPECT_EQ(cluster.size(), 2U);
}

TEST_F(ClusterFile, LoopOfFilesIsRefused) {
  const std::string file = write("loop.yaml", "{file: loop.yaml}");
  EXPECT_THAT(error_of("{file: " + file + "}"), HasSubstr("too many files refer to each other"));
}

TEST_F(ClusterFile, ErrorsNameThePlaceInTheFileOrBesideIt) {
  const std::string file = write("bad.yaml", k_nodes + "host: {bandwidth: 4}\n");
  EXPECT_THAT(error_of("{file: " + file + "}"), HasSubstr("bad.yaml:6"));
  EXPECT_THAT(error_of("{file: " + file + ", host: {bandwidht: 4 GB/s}}"), HasSubstr("c.yaml:1"));
}

TEST(ClusterReader, RefusesUnknownKeysAtEveryLevel) {
  EXPECT_THAT(error_of(k_nodes + "node: 3\n"), HasSubstr("nodes"));
  EXPECT_THAT(error_of(k_nodes + "device: {memroy: 1 GiB}\n"), HasSubstr("memory"));
  EXPECT_THAT(error_of(k_nodes + "device: {peak: {fp33: 1 TFLOP/s}}\n"), HasSubstr("fp32"));
  EXPECT_THAT(error_of(k_nodes + "fabric: {kind: star, latency: 1 us}\n"), HasSubstr("latency"));
  EXPECT_THAT(error_of("{shape: unifrom}"), HasSubstr("uniform"));
  EXPECT_THAT(error_of("{devices: 3}"), HasSubstr("shape"));
  EXPECT_THAT(error_of("3"), HasSubstr("'file' or 'shape'"));
}

TEST(ClusterReader, RefusesImpossibleValues) {
  EXPECT_THAT(error_of("{shape: uniform, devices: 1000000000000, bandwidth: inf}"),
              HasSubstr("devices"));
  EXPECT_THAT(error_of("{shape: uniform, devices: 0, bandwidth: inf}"), HasSubstr("devices"));
  EXPECT_THAT(error_of("{shape: uniform, devices: 2, bandwidth: 0 GB/s}"), HasSubstr("bandwidth"));
  EXPECT_THAT(error_of(k_nodes + "device: {efficiency: 1.5}\n"), HasSubstr("efficiency"));
  EXPECT_THAT(error_of(k_nodes + "device: {efficiency: 1e-7}\n"),
              HasSubstr("device.efficiency: 1e-07 is no share of a peak"));
  for (const char* slowdown : {"0", "-2", "-0.0", "1e300", "1e-300", ".nan", ".inf"})
    EXPECT_THAT(error_of(k_nodes + "device: {slowdown: " + slowdown + "}\n"),
                HasSubstr("device.slowdown: "))
        << slowdown;
  EXPECT_THAT(error_of("{shape: uniform, devices: 2, bandwidth: 1e-300 B/s}"),
              HasSubstr("from 1 B/s to 1e+30 B/s"));
  EXPECT_THAT(error_of(k_nodes + "device: {memory: 1 GiB, reserved: 2 GiB}\n"),
              HasSubstr("reserved"));
  EXPECT_THAT(error_of(k_nodes + "device_overrides: [{match: 4, slowdown: 2}]\n"),
              HasSubstr("device_overrides[0].match"));
  EXPECT_THAT(error_of(k_nodes + "device_overrides: [{match: 'x*', slowdown: 2}]\n"),
              HasSubstr("node0/gpu0"));
  EXPECT_THAT(error_of(k_nodes + "device_overrides: [{match: [], slowdown: 2}]\n"),
              HasSubstr("matches nothing"));
}

TEST(ClusterReader, ProblemsBetweenKeysNameTheKeyAtFault) {
  EXPECT_THAT(error_of("{shape: node_cluster, nodes: 1000000, devices_per_node: 8}"),
              HasSubstr("nodes: 1000000 nodes of 8 devices"));
  EXPECT_THAT(error_of(k_nodes + "fabric: {kind: torus, dimensions: [3], bandwidth: 1 GB/s}\n"),
              HasSubstr("fabric.dimensions"));
  EXPECT_THAT(error_of(k_nodes + "fabric: {kind: fat_tree, ports_per_leaf: 4, taper: 3,"
                                 " bandwidth: 1 GB/s}\n"),
              HasSubstr("fabric.taper"));
  EXPECT_THAT(error_of("{shape: node_cluster, nodes: 2, devices_per_node: 1}"), HasSubstr("nics"));
  EXPECT_THAT(error_of("{shape: node_cluster, nodes: 1, devices_per_node: 2}"),
              HasSubstr("no way to each other"));
}

TEST(ClusterReader, NoHostileSizeIsBuilt) {
  const std::string nics = "nics: {per_node: 1, bandwidth: 1 GB/s}";
  EXPECT_THAT(
      error_of("{shape: node_cluster, nodes: 1000000, devices_per_node: 1, " + nics +
               ", fabric: {kind: dragonfly, ports_per_switch: 1, switches_per_group: 1000000,"
               " global_cables_per_switch: 1, local: {bandwidth: 1 GB/s},"
               " global: {bandwidth: 1 GB/s}}}"),
      HasSubstr("links; expected at most"));
  EXPECT_THAT(error_of("{shape: node_cluster, nodes: 2, devices_per_node: 1, " + nics +
                       ", fabric: {kind: torus, dimensions: [1000000, 1000000, 1000000],"
                       " bandwidth: 1 GB/s}}"),
              HasSubstr("too many points"));
  EXPECT_THAT(error_of("{shape: node_cluster, nodes: 1, devices_per_node: 1000000}"),
              HasSubstr("devices_per_node"));
}

}  // namespace
}  // namespace pipegraph
