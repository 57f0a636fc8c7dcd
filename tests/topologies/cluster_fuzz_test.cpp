// Seeded mutations of the cluster files: each is read, or refused with a ConfigError that has a
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

constexpr std::array<std::string_view, 24> k_values{"0",
                                                    "-1",
                                                    "1e12",
                                                    "1000000",
                                                    "1048576",
                                                    "nan",
                                                    "inf",
                                                    "~",
                                                    "[]",
                                                    "{}",
                                                    "[4, 4]",
                                                    "true",
                                                    "GB/s",
                                                    "0 GB/s",
                                                    "1e308 GB/s",
                                                    "64 GiB",
                                                    "1e-300 s",
                                                    "1e30 s",
                                                    "star",
                                                    "uniform",
                                                    "*",
                                                    "0.5",
                                                    "4611686018427387904 B",
                                                    "[[0, 0, 1]]"};
constexpr std::array<std::string_view, 14> k_keys{
    "nodes",         "devices_per_node", "sockets",      "devices_per_socket",
    "pcie_switches", "per_node",         "taper",        "match",
    "dimensions",    "ports_per_leaf",   "device_links", "kind",
    "shape",         "leaves_per_pod"};

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, line.find('#')));
  return lines;
}

/// Another value, another key, a line less, or a line twice.
void mutate(std::vector<std::string>& lines, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  const std::size_t at = below(lines.size());
  std::string& line = lines[at];
  const std::size_t colon = line.find(':');
  const std::size_t start = line.find_first_not_of(' ');
  switch (below(4)) {
    case 0:
      if (colon != std::string::npos)
        line = line.substr(0, colon + 2) + std::string(k_values[below(k_values.size())]);
      break;
    case 1:
      if (colon != std::string::npos)
        line =
            line.substr(0, start) + std::string(k_keys[below(k_keys.size())]) + line.substr(colon);
      break;
    case 2:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size())), line);
  }
}

/// Whether it was read.
bool read_or_refuse(const std::string& text) {
  try {
    const Topology cluster = read_cluster(YamlValue::parse(text, "mutated.yaml"));
    const DeviceId last = make_id<DeviceId>(cluster.size() - 1);
    cluster.route(DeviceId{0}, last);
    cluster.route(last, DeviceId{0});
    return true;
  } catch (const ConfigError& error) {
    EXPECT_GT(error.where().line, 0) << error.what() << "\n" << text;
    return false;
  }
}

TEST(ClusterFuzz, MutatedFilesAreReadOrRefusedWithAPlace) {
  std::mt19937 random(7);
  int read = 0;
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "topologies")) {
    if (entry.path().extension() != ".yaml" || entry.path().stem() == "summit_full") continue;
    const std::vector<std::string> original = lines_of(entry.path());
    for (int round = 0; round < 300; ++round) {
      std::vector<std::string> lines = original;
      for (std::size_t i = 0, n = 1 + random() % 3; i < n && !lines.empty(); ++i)
        mutate(lines, random);
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      ++(read_or_refuse(text) ? read : refused);
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace pipegraph
