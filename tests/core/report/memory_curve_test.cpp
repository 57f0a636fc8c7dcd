#include "core/report/memory_curve.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/report/small_runs.h"

namespace pipegraph {
namespace {

Timeline timeline_of(const std::vector<std::pair<double, double>>& times) {
  Timeline timeline(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    timeline.start[i] = Seconds{times[i].first};
    timeline.end[i] = Seconds{times[i].second};
  }
  return timeline;
}

Lifetime lifetime(MemoryPart part, int first, int last, std::uint64_t bytes) {
  Lifetime made;
  made.part = part;
  made.first = InstructionId{first};
  made.last = InstructionId{last};
  made.bytes = Bytes{bytes};
  return made;
}

TEST(MemoryCurve, StepsAndPeakOfTwoLifetimes) {
  // 10 B from 0 to 4, 5 B from 2 to 3, on top of 100 B and 7 B reserved.
  DeviceMemory memory;
  memory.parameters = Bytes{60};
  memory.gradients = Bytes{40};
  const std::vector<Lifetime> lifetimes{lifetime(MemoryPart::Activations, 0, 2, 10),
                                        lifetime(MemoryPart::ReceiveSlots, 1, 1, 5)};
  const Timeline timeline = timeline_of({{0, 1}, {2, 3}, {3, 4}});
  const MemoryCurve curve = memory_curve(memory, lifetimes, Bytes{7}, timeline);
  EXPECT_EQ(curve.steps, (std::vector<MemoryStep>{{Seconds{0}, Bytes{107}},
                                                  {Seconds{0}, Bytes{117}},
                                                  {Seconds{2}, Bytes{122}},
                                                  {Seconds{3}, Bytes{117}},
                                                  {Seconds{4}, Bytes{107}}}));
  EXPECT_EQ(curve.peak_bytes(), Bytes{122});
  EXPECT_EQ(curve.peak.time, Seconds{2});
  EXPECT_EQ(curve.peak.instruction, InstructionId{1});
  EXPECT_EQ(curve.peak.parts[static_cast<std::size_t>(MemoryPart::Activations)], Bytes{10});
  EXPECT_EQ(curve.peak.parts[static_cast<std::size_t>(MemoryPart::ReceiveSlots)], Bytes{5});
  EXPECT_EQ(curve.peak.parts[static_cast<std::size_t>(MemoryPart::Gradients)], Bytes{40});
}

TEST(MemoryCurve, AllocationPrecedesReleaseAtEqualTimes) {
  // One ends and the next starts at 1, neither before the other by necessity: both are held then.
  const std::vector<Lifetime> lifetimes{lifetime(MemoryPart::Activations, 0, 0, 10),
                                        lifetime(MemoryPart::Activations, 1, 1, 10)};
  const MemoryCurve curve = memory_curve({}, lifetimes, {}, timeline_of({{0, 1}, {1, 2}}));
  EXPECT_EQ(curve.peak_bytes(), Bytes{20});
  EXPECT_EQ(curve.peak.time, Seconds{1});
  EXPECT_EQ(curve.steps[2], (MemoryStep{Seconds{1}, Bytes{20}}));
  EXPECT_EQ(curve.steps[3], (MemoryStep{Seconds{1}, Bytes{10}}));
}

TEST(MemoryCurve, WithoutLifetimesThePeakIsThereFromTheBeginning) {
  DeviceMemory memory;
  memory.parameters = Bytes{3};
  const MemoryCurve curve = memory_curve(memory, {}, {}, Timeline(0));
  EXPECT_EQ(curve.peak_bytes(), Bytes{3});
  EXPECT_FALSE(curve.peak.instruction.valid());
}

TEST(MemoryCurve, OneForwardOneBackwardHoldsAsManyMicroBatchesAsStagesFollow) {
  // P = 4, M = 8: 4, 3, 2, 1 micro-batches of 100 B, 1000 B of parameters and as many of gradients,
  // 50 B reserved. A backward's release comes before the next forward's allocation on its lane.
  const test::ChainRun chain({.stages = 4, .micro_batches = 8, .message = Bytes{0}});
  const RunReport report(chain.run());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report.memory[i].peak_bytes(), Bytes{2050 + 100 * (4 - i)}) << i;
    EXPECT_EQ(chain.run().memory.devices[i].peak, Bytes{2000 + 100 * (4 - i)}) << i;
  }
}

TEST(MemoryCurve, HighestStepIsThePeakAndTheLastIsTheBeginning) {
  const test::ChainRun chain({.stages = 4, .micro_batches = 8, .latency = Seconds{1}});
  const RunReport report(chain.run());
  for (const MemoryCurve& curve : report.memory) {
    EXPECT_EQ(std::ranges::max(curve.steps, {}, &MemoryStep::bytes).bytes, curve.peak_bytes());
    EXPECT_EQ(curve.steps.back().bytes, curve.steps.front().bytes);
    EXPECT_TRUE(std::ranges::is_sorted(curve.steps, {}, &MemoryStep::time));
  }
}

TEST(MemoryCurve, ThinningKeepsHighestAndLast) {
  std::vector<MemoryStep> steps;
  for (int i = 0; i <= 1000; ++i)
    steps.push_back({Seconds{0.001 * i}, Bytes{static_cast<std::uint64_t>(i == 500 ? 9999 : i)}});
  const std::vector<MemoryStep> few = thinned(steps, 20);
  EXPECT_LE(few.size(), 22U);
  EXPECT_NE(std::find(few.begin(), few.end(), MemoryStep{Seconds{0.5}, Bytes{9999}}), few.end());
  EXPECT_EQ(few.back(), steps.back());
  EXPECT_EQ(thinned(steps, 1001), steps);
}

}  // namespace
}  // namespace pipegraph
