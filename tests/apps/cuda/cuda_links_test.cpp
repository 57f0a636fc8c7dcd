// `pipegraph links` on the stand-in's two GPUs, and cluster files of machines that are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "apps/link_texts.h"
#include "core/base/files.h"
#include "tests/apps/workbench.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class CudaLinks : public test::Workbench {};

TEST_F(CudaLinks, WriteAClusterOfThisMachineThatScenariosCanUse) {
  const Ran ran = run({"links", "-o", "machine.yaml", "--repetitions", "3", "--format", "csv"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  // A header; eight links (each GPU with the host both ways, and with both GPUs) of eleven sizes.
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 1 + 8 * 11);
  EXPECT_THAT(read_file("machine.yaml"), HasSubstr("2 x stand-in 0 and stand-in 1"));
  write_tower();
  const Ran shown =
      run({"show", "topology", "tower.yaml", "--set", "cluster={file: machine.yaml}"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("node0/gpu1"));
  EXPECT_EQ(run({"simulate", "tower.yaml", "--no-report", "-o", "out", "--set",
                 "cluster={file: machine.yaml, device: {peak: {fp32: 1 TFLOP/s}, "
                 "memory: 1 GiB, memory_bandwidth: 1 TB/s}}"})
                .code,
            0);
}

TEST_F(CudaLinks, NeedRepetitions) { EXPECT_EQ(run({"links", "--repetitions", "0"}).code, 2); }

/// A link of 10 us and so many bytes a second.
MeasuredLink link(std::optional<int> from, std::optional<int> to, double rate) {
  MeasuredLink link{.from = from, .to = to, .direct = true, .copies = {}};
  for (const Bytes size : {Bytes{0}, Bytes{1'000'000}})
    link.copies.push_back(
        {size, {.mean = Seconds{10e-6 + static_cast<double>(size.count) / rate}}});
  return link;
}

/// GPUs in a row: neighbours joined at `rate`, others four times as slowly; 1 TB/s within a GPU.
MachineLinks row_of(int gpus, double rate) {
  MachineLinks machine;
  for (int a = 0; a < gpus; ++a) {
    machine.gpus.push_back({Bytes{std::uint64_t{1} << 30}, 10});
    machine.links.push_back(link(std::nullopt, a, 20e9));
    machine.links.push_back(link(a, std::nullopt, 20e9));
    for (int b = 0; b < gpus; ++b)
      machine.links.push_back(link(a, b, a == b ? 1e12 : std::abs(a - b) == 1 ? rate : rate / 4));
  }
  return machine;
}

const MachineGpus k_gpus{.name = "a GPU", .count = 2, .clocks = {}, .driver = {}, .libraries = {}};

Topology read_back(const MachineLinks& machine) {
  return read_cluster(YamlValue::parse(cluster_text(machine, k_gpus), "machine.yaml"));
}

void expect_route(const Topology& topology, int from, int to, const LinkFit& expected) {
  const auto route = topology.route(DeviceId{from}, DeviceId{to});
  EXPECT_NEAR(topology.latency(route, 0.0).count(), expected.latency.count(), 1e-9);
  EXPECT_NEAR(topology.bandwidth(route).value, expected.bandwidth.value,
              1e-3 * expected.bandwidth.value);
}

TEST_F(CudaLinks, OfOneGpuAreThoseOfDevicesThatShareIt) {
  const Topology topology = read_back(row_of(1, 0.0));
  EXPECT_EQ(topology.devices().size(), 1U);
  EXPECT_NEAR(topology.devices()[0].memory_bandwidth.value, 2e12, 1e9);  // read and written
}

TEST_F(CudaLinks, OfOneKindAreAMesh) {
  const Topology topology = read_back(row_of(2, 100e9));
  expect_route(topology, 0, 1, {Seconds{10e-6}, {100e9}});
  expect_route(topology, 1, 0, {Seconds{10e-6}, {100e9}});
}

TEST_F(CudaLinks, OfSeveralKindsAreListedByPair) {
  const Topology topology = read_back(row_of(3, 100e9));
  expect_route(topology, 0, 1, {Seconds{10e-6}, {100e9}});
  expect_route(topology, 0, 2, {Seconds{10e-6}, {25e9}});
}

}  // namespace
}  // namespace pipegraph
