#include "core/report/busiest_device.h"

#include <gtest/gtest.h>

#include "tests/support/program_sketch.h"
#include "tests/support/tiny_clusters.h"

namespace pipegraph {
namespace {

TEST(BusiestDevice, AddsPassesAndMessagesBothWaysPerSample) {
  // 10 B/s and no latency. Device 0: 3 s + 20 B + 40 B = 9 s; device 1: 5 s + 20 B = 7 s;
  // device 2: 4 s + 40 B = 8 s. Of 4 samples: 2.25 s each. Reduction and optimizer do not count.
  test::ProgramSketch sketch(3);
  sketch.compute(0, 1.0);
  sketch.compute(0, 2.0, {}, InstructionKind::Backward);
  sketch.compute(1, 5.0);
  sketch.compute(2, 4.0);
  sketch.transfer({0, 1}, 20);
  sketch.transfer({2, 0}, 40);
  sketch.all_reduce({1, 2}, 1000);
  sketch.compute(1, 100.0, {}, InstructionKind::Optimizer);
  const Program program = std::move(sketch).build();
  const Topology cluster = test::ported_cluster(3, Seconds{0}, {10.0});
  EXPECT_DOUBLE_EQ(busiest_device(program, cluster, 4).count(), 2.25);
}

TEST(BusiestDevice, CountsTheLatencyOfEveryMessage) {
  test::ProgramSketch sketch(2);
  sketch.transfer({0, 1}, 10);
  sketch.transfer({0, 1}, 10);
  const Program program = std::move(sketch).build();
  // Two messages of 0.5 s + 1 s each.
  EXPECT_DOUBLE_EQ(
      busiest_device(program, test::ported_cluster(2, Seconds{0.5}, {10.0}), 1).count(), 3.0);
}

}  // namespace
}  // namespace pipegraph
