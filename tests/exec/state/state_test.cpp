#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "exec/state/failure_text.h"
#include "exec/state/run_state.h"
#include "exec/state/waiting_cycle.h"
#include "tests/support/program_sketch.h"

namespace pipegraph::test {
namespace {

TEST(Failure, TheFirstReportWinsAmongMany) {
  Failure failure;
  EXPECT_FALSE(failure.happened());
  std::atomic<int> won{0};
  std::atomic<int> winner{-1};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      if (!failure.report({.rank = i, .device = {}, .instruction = {}, .what = "x"})) return;
      ++won;
      winner = i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_TRUE(failure.happened());
  EXPECT_EQ(failure.first().rank, winner);
}

TEST(LaneProgress, SaysWhatHasCompletedFromCountsOfLanes) {
  ProgramSketch sketch(2);
  sketch.compute(0, 1);
  sketch.compute(1, 1);
  sketch.compute(0, 1);
  sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  LaneProgress progress(program);
  progress.completed(program.at(InstructionId{0}).lane);
  progress.completed(program.at(InstructionId{3}).lane);
  EXPECT_EQ(progress.completed_instructions(), (std::vector<char>{1, 0, 0, 1, 0}));
  EXPECT_EQ(progress.total(), 2U);
  progress.restart();
  EXPECT_EQ(progress.completed_instructions(), std::vector<char>(5, 0));
  EXPECT_EQ(progress.total(), 2U);  // still grows from step to step
}

// d0 waits for d1, d1 for d2, d2 for d1: the cycle leaves d0 out.
TEST(WaitingCycle, LeavesOutWhoMerelyWaitsForIt) {
  ProgramSketch sketch(3);
  const auto end = sketch.recv({1, 0}, 8);
  const auto from2 = sketch.recv({2, 1}, 8);
  sketch.send({1, 0}, 8, {from2});
  const auto to2 = sketch.send({1, 2}, 8, {from2});
  const auto from1 = sketch.recv({1, 2}, 8);
  const auto to1 = sketch.send({2, 1}, 8, {from1});
  const Program program = std::move(sketch).build();
  const auto cycle =
      waiting_cycle(program, explain_stuck(program, std::vector<char>(program.size(), 0)));
  EXPECT_EQ(cycle, (std::vector<InstructionId>{from2, to1, from1, to2}));
  EXPECT_FALSE(std::ranges::count(cycle, end));
}

TEST(WaitingCycle, AnInstructionBehindOthersWaitsForTheFirstOfItsLane) {
  ProgramSketch sketch(2, SketchLanes::Single);
  const auto recv0 = sketch.recv({1, 0}, 8);
  const auto send0 = sketch.send({0, 1}, 8);
  const auto recv1 = sketch.recv({0, 1}, 8);
  const auto send1 = sketch.send({1, 0}, 8);
  const Program program = std::move(sketch).build();
  EXPECT_EQ(waiting_cycle(program, explain_stuck(program, {0, 0, 0, 0})),
            (std::vector<InstructionId>{recv0, send1, recv1, send0}));
}

TEST(WaitingCycle, TwoPostedHalvesAreNone) {
  ProgramSketch sketch(2);
  sketch.transfer({0, 1}, 8);
  const Program program = std::move(sketch).build();
  EXPECT_TRUE(waiting_cycle(program, explain_stuck(program, {0, 0})).empty());
}

// Counts of a rank that was stopped may be of another step than those of the others.
TEST(FailureText, NamesADeadlockOnlyIfADeviceFoundIt) {
  ProgramSketch sketch(2, SketchLanes::Single);
  sketch.recv({1, 0}, 8);
  sketch.send({0, 1}, 8);
  sketch.recv({0, 1}, 8);
  sketch.send({1, 0}, 8);
  const Program program = std::move(sketch).build();
  const auto text_of = [&](DeviceId device) {
    return failure_text(
        program, {.rank = 0, .device = device, .instruction = {}, .what = "silence"}, {0, 0, 0, 0});
  };
  EXPECT_NE(text_of(DeviceId{0}).find("\ndeadlock: #0 "), std::string::npos);
  EXPECT_EQ(text_of({}).find("deadlock"), std::string::npos);
}

TEST(FailureText, SaysSoWhenEverythingHadCompleted) {
  ProgramSketch sketch(1);
  sketch.compute(0, 1);
  const Program program = std::move(sketch).build();
  EXPECT_EQ(
      failure_text(program, {.rank = 2, .device = {}, .instruction = {}, .what = "no disk"}, {1}),
      "rank 2: no disk\nall instructions had completed\n");
}

}  // namespace
}  // namespace pipegraph::test
