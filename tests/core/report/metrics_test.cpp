#include "core/report/metrics.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/core/report/small_runs.h"
#include "tests/support/program_sketch.h"

namespace pipegraph {
namespace {

using test::ProgramSketch;

Metrics metrics_of(const test::ChainRun& chain) {
  return compute_metrics(ProgramIndex(chain.run().program), chain.run().timeline,
                         chain.run().stages.devices(), chain.run().workload.training.mini_batch);
}

TEST(Metrics, BubbleOfAChainFollowsItsClosedForms) {
  // P = 4, M = 8, F = 1, B = 2: makespan 3 M + 3 (P - 1) = 33 s; fraction (P - 1) / (M + P - 1) =
  // 3/11; overhead (P - 1) / M = 3/8.
  const Metrics metrics = metrics_of(test::ChainRun({.stages = 4, .micro_batches = 8}));
  EXPECT_DOUBLE_EQ(metrics.iteration_time.count(), 33.0);
  EXPECT_DOUBLE_EQ(metrics.bubble_fraction, 3.0 / 11.0);
  EXPECT_DOUBLE_EQ(metrics.bubble_overhead, 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(metrics.throughput_samples_per_s, 8.0 / 33.0);
  for (const DeviceTimes& times : metrics.devices) {
    EXPECT_DOUBLE_EQ(times.compute.count(), 24.0);
    EXPECT_DOUBLE_EQ(times.idle.count(), 9.0);
  }
}

TEST(Metrics, CommunicationUnderComputationIsNotExposed) {
  // Device 0 computes 0-2 and 5-6; its transfer moves from 1 to 4: exposed from 2 to 4; idle 4-5.
  // Device 1 receives from 1 to 4 and computes from 4 to 8.
  ProgramSketch sketch(2);
  sketch.compute(0, 2);
  sketch.transfer({0, 1}, 1);
  sketch.compute(0, 1);
  sketch.compute(1, 4);
  const Program program = std::move(sketch).build();
  Timeline timeline(program.size());
  timeline.start = {Seconds{0}, Seconds{1}, Seconds{1}, Seconds{5}, Seconds{4}};
  timeline.end = {Seconds{2}, Seconds{4}, Seconds{4}, Seconds{6}, Seconds{8}};
  const auto times = device_times(ProgramIndex(program), timeline, {DeviceId{0}, DeviceId{1}});
  EXPECT_EQ(times[0].compute, Seconds{3});
  EXPECT_EQ(times[0].exposed_communication, Seconds{2});
  EXPECT_EQ(times[0].idle, Seconds{3});
  EXPECT_EQ(times[1].compute, Seconds{4});
  EXPECT_EQ(times[1].exposed_communication, Seconds{3});
  EXPECT_EQ(times[1].idle, Seconds{1});
}

TEST(Metrics, OverlappingTransfersAreExposedOnce) {
  // Two transfers 0-4 and 3-6 around computes 1-2 and 5-7: moving is 0-6, outside computing it is
  // 0-1 and 2-5.
  ProgramSketch sketch(3);
  sketch.transfer({0, 1}, 1);
  sketch.transfer({0, 2}, 1);
  sketch.compute(0, 1);
  sketch.compute(0, 2);
  const Program program = std::move(sketch).build();
  Timeline timeline(program.size());
  timeline.start = {Seconds{0}, Seconds{0}, Seconds{3}, Seconds{3}, Seconds{1}, Seconds{5}};
  timeline.end = {Seconds{4}, Seconds{4}, Seconds{6}, Seconds{6}, Seconds{2}, Seconds{7}};
  const auto times = device_times(ProgramIndex(program), timeline, {DeviceId{0}});
  EXPECT_EQ(times[0].exposed_communication, Seconds{4});
  EXPECT_EQ(times[0].idle, Seconds{0});
}

TEST(Metrics, DelayedMessagesOfAChainAreExposedWhereNothingComputes) {
  // P = 2, M = 2, a delay of 1. Device 0: F 0-1, F 1-2, B 6-8, B 9-11; it sends 1-2, 2-3 and
  // receives 5-6, 8-9: exposed 2-3, 5-6, 8-9, idle 3-5. Device 1: F 2-3, B 3-5, F 5-6, B 6-8:
  // exposed 1-2 and 8-9, idle 0-1 and 9-11.
  const Metrics metrics =
      metrics_of(test::ChainRun({.stages = 2, .micro_batches = 2, .latency = Seconds{1}}));
  EXPECT_EQ(metrics.iteration_time, Seconds{11});
  EXPECT_EQ(metrics.devices[0].exposed_communication, Seconds{3});
  EXPECT_EQ(metrics.devices[0].idle, Seconds{2});
  EXPECT_EQ(metrics.devices[1].exposed_communication, Seconds{2});
  EXPECT_EQ(metrics.devices[1].idle, Seconds{3});
}

TEST(Metrics, PartsOfTheMakespanAddUp) {
  const Metrics metrics =
      metrics_of(test::ChainRun({.stages = 4, .micro_batches = 8, .latency = Seconds{1}}));
  EXPECT_DOUBLE_EQ(metrics.iteration_time.count(), 49.0);
  for (const DeviceTimes& times : metrics.devices)
    EXPECT_DOUBLE_EQ((times.compute + times.exposed_communication + times.idle).count(), 49.0);
}

TEST(Metrics, NothingTakesNoTime) {
  const Program program = ProgramSketch(1).build();
  const Metrics metrics = compute_metrics(ProgramIndex(program), Timeline(0), {DeviceId{0}}, 4);
  EXPECT_EQ(metrics.iteration_time, Seconds{0});
  EXPECT_EQ(metrics.throughput_samples_per_s, std::numeric_limits<double>::infinity());
  EXPECT_EQ(metrics.bubble_fraction, 0.0);
}

}  // namespace
}  // namespace pipegraph
