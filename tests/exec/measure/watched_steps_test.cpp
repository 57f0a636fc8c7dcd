// Which steps count, with a scheduler that says what the test wants.
#include "exec/measure/watched_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/measure/watched_runner.h"
#include "tests/exec/training/fake_runner.h"
#include "tests/exec/training/thread_ranks.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

/// Tells, step after step, whether it was disturbed: half of a second without a core.
class FakeScheduler {
 public:
  explicit FakeScheduler(std::vector<bool> disturbed) : disturbed_(std::move(disturbed)) {}

  SchedulingReader reader() {
    return [this] {
      // Every other reading ends a step.
      if (readings_++ % 2 == 1) {
        const bool out = steps_ < disturbed_.size() && disturbed_[steps_];
        ++steps_;
        (out ? totals_.waited : totals_.run) += Seconds{0.5};
        totals_.run += Seconds{0.5};
      }
      totals_.threads = 2;
      return totals_;
    };
  }

 private:
  std::vector<bool> disturbed_;
  SchedulingTotals totals_;
  std::size_t readings_ = 0, steps_ = 0;
};

StepResult step_of(double seconds, std::optional<double> end = {}) {
  StepResult result{.time = Seconds{seconds}};
  if (end) {
    result.record.emplace(1);
    result.record->start[0] = Seconds{*end - 1};
    result.record->end[0] = Seconds{*end};
  }
  return result;
}

TEST(WatchedSteps, RepeatsWhatWasDisturbed) {
  FakeScheduler scheduler({false, true, false, true, false});
  WatchedSteps steps(scheduler.reader());
  double time = 0.0;
  steps.run(3, [&] { return step_of(++time); });
  EXPECT_EQ(steps.times(), (std::vector<Seconds>{Seconds{1}, Seconds{3}, Seconds{5}}));
  EXPECT_EQ(steps.discarded(), 2U);
  EXPECT_EQ(steps.seen().no_verdict(), "");
}

TEST(WatchedSteps, GivesUpAfterTwiceAsManyAndHasNoVerdict) {
  FakeScheduler scheduler({true, false, true, true, true, true, true});
  WatchedSteps steps(scheduler.reader());
  int runs = 0;
  steps.run(3, [&] {
    ++runs;
    return step_of(1.0);
  });
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(steps.counted(), 1U);
  EXPECT_THAT(steps.seen().no_verdict(), HasSubstr("machine disturbed in 5 of 6 steps"));
  // 5 x 0.5 s of 6 x 1 s.
  EXPECT_THAT(steps.seen().no_verdict(), HasSubstr("run-queue delay 41.7 %"));
}

TEST(WatchedSteps, HalfDisturbedIsStillAVerdict) {
  FakeScheduler scheduler({true, false});
  WatchedSteps steps(scheduler.reader());
  steps.run(1, [] { return step_of(1.0); });
  EXPECT_EQ(steps.discarded(), 1U);
  EXPECT_EQ(steps.seen().no_verdict(), "");
}

TEST(WatchedSteps, AveragesTheRecordsThatCount) {
  FakeScheduler scheduler({false, true, false});
  WatchedSteps steps(scheduler.reader());
  double end = 10.0;
  steps.run(2, [&] { return step_of(1.0, end++); });
  EXPECT_TRUE(steps.traced());
  const RunRecord mean = steps.mean_record();
  EXPECT_EQ(mean.end[0], Seconds{11});  // of 10 and 12; 11 was disturbed
  EXPECT_EQ(mean.start[0], Seconds{10});
}

TEST(WatchedSteps, CountsEverythingWhereTheSystemDoesNotTell) {
  WatchedSteps steps([] { return SchedulingTotals{}; });
  steps.run(4, [] { return step_of(1.0); });
  EXPECT_EQ(steps.counted(), 4U);
  EXPECT_FALSE(steps.seen().total.known);
}

// Rank 0 is disturbed in its first step, rank 1 in its second, nobody in the third.
TEST(StepWatch, CountsAStepThatWasDisturbedOnAnyRankOnce) {
  test::ThreadRanks::run(2, [](Ranks& ranks) {
    FakeScheduler scheduler({ranks.rank() == 0, ranks.rank() == 1, false});
    StepWatch watch(scheduler.reader());
    for (int step = 0; step < 3; ++step) watch.run([] { return step_of(1.0); });
    EXPECT_EQ(watch.seen().disturbed, 1U);
    const StepsSeen seen = watch.seen(ranks);
    EXPECT_EQ(seen.steps, 3U);
    EXPECT_EQ(seen.disturbed, 2U);
    EXPECT_EQ(seen.total.waited, Seconds{1.0});  // half a second on each
    EXPECT_THAT(seen.no_verdict(), HasSubstr("machine disturbed in 2 of 3 steps"));
  });
}

// Orders: training, evaluation, training twice. The scheduler sees the last two; of these the first
// is disturbed.
TEST(WatchedRunner, WatchesTrainingStepsBehindTheFirst) {
  test::ThreadRanks::run(1, [](Ranks& ranks) {
    const test::FakeData data;
    FakeScheduler scheduler({true, false});
    test::FakeRunner steps(2), unwatched(2);
    WatchedRunner watched(steps, scheduler.reader());
    for (const StepKind kind :
         {StepKind::Train, StepKind::Evaluate, StepKind::Train, StepKind::Train}) {
      const StepOrder order{.kind = kind, .data = &data};
      const std::vector<LossValue> expected = unwatched.run(order), losses = watched.run(order);
      ASSERT_EQ(losses.size(), expected.size());
      for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_EQ(losses[i].mean, expected[i].mean);
    }
    const StepsSeen seen = watched.seen(ranks);
    EXPECT_EQ(seen.steps, 2U);
    EXPECT_EQ(seen.disturbed, 1U);
    EXPECT_EQ(seen.total.waited, Seconds{0.5});
  });
}

TEST(WatchedRunner, SaysNothingOfASingleStep) {
  test::ThreadRanks::run(1, [](Ranks& ranks) {
    const test::FakeData data;
    FakeScheduler scheduler({true});
    test::FakeRunner steps(2);
    WatchedRunner watched(steps, scheduler.reader());
    watched.run({.data = &data});
    EXPECT_EQ(watched.seen(ranks).steps, 0U);
    EXPECT_FALSE(watched.seen(ranks).total.known);
  });
}

RunRecord record_of(double start, double end) {
  RunRecord record(1);
  record.start[0] = Seconds{start};
  record.end[0] = Seconds{end};
  return record;
}

TEST(MeanRecord, IsThatOfStartsAndEnds) {
  const RunRecord first = record_of(1.0, 2.0), second = record_of(2.0, 5.0);
  const RunRecord mean = mean_record({&first, &second});
  EXPECT_EQ(mean.start[0], Seconds{1.5});
  EXPECT_EQ(mean.end[0], Seconds{3.5});
}

TEST(MeanRecord, OfEqualStepsIsThatStepToTheLastBit) {
  const RunRecord record = record_of(0.1, 0.7);
  const RunRecord mean = mean_record(std::vector<const RunRecord*>(7, &record));
  EXPECT_EQ(mean.start[0], Seconds{0.1});
  EXPECT_EQ(mean.end[0], Seconds{0.7});
}

}  // namespace
}  // namespace pipegraph
