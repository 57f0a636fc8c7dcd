// Every cluster that ships reads, and says what its machine's data sheets say where one can count.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tests/topologies/route_checks.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

const std::filesystem::path k_folder = std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "topologies";

Topology read(const std::string& file, const std::string& more = "") {
  return read_cluster(
      YamlValue::parse("{file: " + (k_folder / file).string() + more + "}", "test"));
}

TEST(ClusterFiles, AllReadAndRouteEveryPair) {
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Topology cluster = read(entry.path().filename().string());
    EXPECT_EQ(cluster.name(), entry.path().stem().string());
    test::expect_sound_routes(cluster);
    seen.insert(cluster.name());
  }
  for (const char* name : {"summit", "summit_full", "dgx1_v100", "dgx_a100", "dgx_h100",
                           "ethernet_25g", "tpu_v4_slice", "ipu_pod16"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(ClusterFiles, EveryNumberHasItsSource) {
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const std::string value = line.substr(0, line.find('#'));
      const std::size_t colon = value.find(": ");
      if (colon == std::string::npos || value.find('-') < colon) continue;
      if (value.find_first_of("0123456789", colon) == std::string::npos) continue;
      EXPECT_NE(line.find('#'), std::string::npos) << entry.path().filename() << ": " << line;
    }
  }
}

TEST(ClusterFiles, SummitCrossesTheXBusBetweenSockets) {
  const Topology summit = read("summit_full.yaml", ", nodes: 1");
  EXPECT_EQ(summit.size(), 6U);
  EXPECT_EQ(test::names(summit, DeviceId{0}, DeviceId{2}).size(), 1U);
  EXPECT_EQ(test::names(summit, DeviceId{2}, DeviceId{3}),
            (std::vector<std::string>{"node0/gpu2->node0/socket0", "node0/socket0->node0/socket1",
                                      "node0/socket1->node0/gpu3"}));
}

TEST(ClusterFiles, SummitAsInThePaperHasFourOfTwoNodes) {
  const Topology summit = read("summit.yaml", ", nodes: 2, devices_per_node: 4");
  EXPECT_EQ(summit.size(), 8U);
  const Route inside = summit.route(DeviceId{0}, DeviceId{1});
  const Route between = summit.route(DeviceId{0}, DeviceId{4});
  EXPECT_EQ(summit.bandwidth(inside).value, 50e9);
  EXPECT_EQ(summit.bandwidth(between).value, 12.5e9);  // 100 Gb/s
  EXPECT_GT(between.latency, inside.latency);
}

TEST(ClusterFiles, EveryV100OfADgx1HasSixBricks) {
  const Topology dgx1 = read("dgx1_v100.yaml");
  std::map<std::string, double> bricks;
  for (const Link& link : dgx1.links())
    if (test::end_of(link).find("gpu") != std::string::npos &&
        test::start_of(link).find("gpu") != std::string::npos)
      bricks[test::start_of(link)] += link.bandwidth.value / 25e9;
  ASSERT_EQ(bricks.size(), 8U);
  for (const auto& [device, count] : bricks) EXPECT_DOUBLE_EQ(count, 6.0) << device;
}

TEST(ClusterFiles, DgxCardsBelongToOneDevice) {
  for (const char* file : {"dgx_a100.yaml", "dgx_h100.yaml"}) {
    const Topology dgx = read(file);
    for (std::int32_t device = 0; device < 8; ++device) {
      // device -> switch, card -> leaf, leaf -> card, switch -> device: equal rails meet at a leaf
      EXPECT_EQ(dgx.route(DeviceId{device}, DeviceId{device + 8}).links.size(), 4U);
    }
  }
}

TEST(ClusterFiles, TpuSliceIsAtMostSixHopsWide) {
  const Topology tpu = read("tpu_v4_slice.yaml");
  std::size_t most = 0;
  for (std::int32_t to = 1; to < 64; ++to)
    most = std::max(most, tpu.route(DeviceId{0}, DeviceId{to}).links.size());
  EXPECT_EQ(most, 6U);  // half of 4 in each of three dimensions
}

TEST(ClusterFiles, IpuRingIsAtMostEightHopsLong) {
  const Topology ring = read("ipu_pod16.yaml");
  EXPECT_EQ(ring.route(DeviceId{0}, DeviceId{8}).links.size(), 8U);
  EXPECT_EQ(ring.route(DeviceId{0}, DeviceId{15}).links.size(), 1U);
}

}  // namespace
}  // namespace pipegraph
