#include "sim/network_model.h"

#include <gtest/gtest.h>

#include "sim/simulate.h"
#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

constexpr double k_latency = 5e-6;
constexpr double k_bandwidth = 25e9;

SimulationResult one_flow(NetworkModel model, std::uint64_t bytes, double latency = k_latency) {
  test::ProgramSketch sketch(2);
  sketch.transfer({0, 1}, bytes);
  return simulate(std::move(sketch).build(),
                  test::ported_cluster(2, Seconds{latency}, {k_bandwidth}), {.network = model});
}

double makespan(const SimulationResult& result) {
  return std::get<Timeline>(result.outcome).makespan().count();
}

TEST(NetworkModel, NamesAreReadAndWritten) {
  for (NetworkModel model :
       {NetworkModel::Ideal, NetworkModel::Lv08, NetworkModel::Smpi, NetworkModel::Ib})
    EXPECT_EQ(parse_network_model(to_text(model)), model);
  EXPECT_EQ(parse_network_model("LV08"), std::nullopt);
}

TEST(NetworkModel, IdealChangesNothing) {
  const SimulationResult result = one_flow(NetworkModel::Ideal, 100'000'000);
  EXPECT_NEAR(makespan(result), 4.005e-3, 1e-14);
  EXPECT_EQ(result.factors, NetworkFactors{});
  EXPECT_EQ(to_text(result.factors), "latency x 1, bandwidth x 1");
}

// 13.01 l + n / (0.97 c).
TEST(NetworkModel, Lv08ScalesLatencyAndBandwidth) {
  const SimulationResult result = one_flow(NetworkModel::Lv08, 100'000'000);
  EXPECT_NEAR(makespan(result), 13.01 * k_latency + 100e6 / (0.97 * k_bandwidth), 1e-12);
  EXPECT_EQ(to_text(result.factors),
            "latency x 13.01, bandwidth x 0.97, TCP window 4194304 B, cross-traffic");
}

// A window of 4 MiB and a round trip of 2 x 10 ms allow 4 194 304 / 0.02 B/s, of which 97 % count.
TEST(NetworkModel, Lv08IsBoundByItsWindowWhereLatencyIsLong) {
  const SimulationResult result = one_flow(NetworkModel::Lv08, 100'000'000, 10e-3);
  EXPECT_NEAR(makespan(result), 13.01 * 10e-3 + 100e6 / (0.97 * 4194304 / (2 * 10e-3)), 1e-9);
}

// The factors of SimGrid's documentation for more than 65 472 B, and for 733 .. 1 426 B.
TEST(NetworkModel, SmpiAndIbScaleBySize) {
  for (NetworkModel model : {NetworkModel::Smpi, NetworkModel::Ib}) {
    const SimulationResult large = one_flow(model, 100'000'000);
    EXPECT_NEAR(makespan(large), 11.6436 * k_latency + 100e6 / (0.940694 * k_bandwidth), 1e-12);
    EXPECT_NEAR(makespan(one_flow(model, 1000)),
                1.9503 * k_latency + 1000 / (0.341987 * k_bandwidth), 1e-12);
    EXPECT_EQ(factor_at(large.factors.latency, 1e6), 11.6436);
    EXPECT_EQ(factor_at(large.factors.bandwidth, 1000), 0.341987);
  }
}

TEST(NetworkModel, EveryTimeFollowsFromTheFactorsReported) {
  for (NetworkModel model : {NetworkModel::Lv08, NetworkModel::Smpi, NetworkModel::Ib}) {
    for (std::uint64_t bytes : {0U, 1U, 257U, 258U, 5776U, 5777U, 65472U, 65473U}) {
      const SimulationResult result = one_flow(model, bytes);
      const auto size = static_cast<double>(bytes);
      EXPECT_NEAR(makespan(result),
                  factor_at(result.factors.latency, size) * k_latency +
                      size / (factor_at(result.factors.bandwidth, size) * k_bandwidth),
                  1e-12)
          << to_text(model) << " " << bytes;
    }
  }
}

// Without latency the factors on it do not matter; without limit the bytes do not.
TEST(NetworkModel, ZeroLatencyAndInfiniteBandwidthWork) {
  for (NetworkModel model :
       {NetworkModel::Ideal, NetworkModel::Lv08, NetworkModel::Smpi, NetworkModel::Ib}) {
    test::ProgramSketch sketch(3);
    sketch.transfer({0, 1}, 1'000'000);
    sketch.transfer({0, 2}, 0);
    sketch.all_reduce({0, 1, 2}, 300'000);
    const Program program = std::move(sketch).build();
    const SimulationOptions options{.network = model};
    const Topology no_latency = test::ported_cluster(3, Seconds{0}, {k_bandwidth});
    EXPECT_GT(makespan(simulate(program, no_latency, options)), 1e6 / k_bandwidth);
    const SimulationResult ideal = simulate(program, test::ideal_cluster(3), options);
    EXPECT_NEAR(makespan(ideal), 0.0, 1e-12) << to_text(model);
  }
}

// Ring of 17, aggregated: one message is 17 MB / 17 = 1 MB; 32 latencies, and 32 MB on each edge.
// The lv08 flow itself pays one latency, the other 31 pass before it.
TEST(NetworkModel, FoldedLatenciesAreScaledToo) {
  std::vector<int> all;
  for (int d = 0; d < 17; ++d) all.push_back(d);
  test::ProgramSketch sketch(17);
  sketch.all_reduce(all, 17'000'000);
  const SimulationResult result = simulate(
      std::move(sketch).build(), test::ported_cluster(17, Seconds{k_latency}, {k_bandwidth}),
      {.network = NetworkModel::Lv08});
  // Cross-traffic: each port also carries 5 % of the flow that runs the other way.
  const double rate = 0.97 * k_bandwidth / 1.05;
  EXPECT_NEAR(makespan(result), 32 * 13.01 * k_latency + 32e6 / rate, 1e-9);
}

}  // namespace
}  // namespace pipegraph
