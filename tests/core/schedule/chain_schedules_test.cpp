// Chains with F = 1, B = 2 per micro-batch of one sample: the list scheduler's own clock gives the
// makespan M (F + B) + (P - 1)(F + B).
#include <gmock/gmock.h>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using test::chain;
using test::in_flight_peaks;
using test::schedule_of;
using testing::Each;
using testing::ElementsAre;

struct ChainCase {
  int stages;
  int micro_batches;
};
class ChainSchedules : public testing::TestWithParam<ChainCase> {
 protected:
  std::int64_t expected_makespan() const {
    return (GetParam().micro_batches + GetParam().stages - 1) * (1 + 2);
  }
  Schedule schedule(std::string_view name, PlanKind kind = PlanKind::Graph) const {
    return schedule_of(chain(GetParam().stages, 1, 1, kind), name,
                       {.mini_batch = GetParam().micro_batches});
  }
};

TEST_P(ChainSchedules, OneForwardOneBackwardKeepsTheLeastInFlight) {
  const Schedule schedule = this->schedule("1f1b");
  EXPECT_EQ(schedule.unit_makespan, expected_makespan());
  for (int s = 0; s < GetParam().stages; ++s)
    EXPECT_EQ(schedule.stages[static_cast<std::size_t>(s)].in_flight_peak,
              std::min(GetParam().stages - s, GetParam().micro_batches));
}

TEST_P(ChainSchedules, GPipeKeepsEverythingInFlight) {
  const Schedule schedule = this->schedule("gpipe");
  EXPECT_EQ(schedule.unit_makespan, expected_makespan());
  EXPECT_THAT(in_flight_peaks(schedule), Each(GetParam().micro_batches));
}

TEST_P(ChainSchedules, SequentialAndGraphPlansOfAPlainChainAreTheSame) {
  EXPECT_EQ(schedule("1f1b").sequence, schedule("1f1b", PlanKind::Sequential).sequence);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChainSchedules,
                         testing::Values(ChainCase{4, 8}, ChainCase{4, 4}, ChainCase{4, 2},
                                         ChainCase{4, 1}, ChainCase{8, 32}, ChainCase{1, 1},
                                         ChainCase{1, 5}, ChainCase{50, 3}, ChainCase{3, 50}));

TEST(OneForwardOneBackward, WarmsUpAlternatesAndDrains) {
  const Schedule schedule = schedule_of(chain(2), "1f1b", {.mini_batch = 3});
  EXPECT_EQ(test::tokens(schedule.stages[0].tasks),
            "F0[0,1) F0[1,2) B0[0,1) F0[2,3) B0[1,2) B0[2,3)");
  EXPECT_EQ(test::tokens(schedule.stages[1].tasks),
            "F1[0,1) B1[0,1) F1[1,2) B1[1,2) F1[2,3) B1[2,3)");
}

TEST(KForwardKBackward, RunsKOfEachInTurn) {
  const Schedule schedule = schedule_of(chain(1, 1, 2), "kfkb", {.mini_batch = 5});
  EXPECT_EQ(test::tokens(schedule.stages[0].tasks),
            "F0[0,1) F0[1,2) B0[0,1) B0[1,2) F0[2,3) F0[3,4) B0[2,3) B0[3,4) F0[4,5) B0[4,5)");
}

TEST(KForwardKBackward, KeepsKTimesAsManyInFlight) {
  // w = k for the sink and k more for each stage above it; never more than M = 8.
  const Schedule two = schedule_of(chain(4, 1, 2), "kfkb", {.mini_batch = 8});
  EXPECT_THAT(in_flight_peaks(two), ElementsAre(8, 6, 4, 2));
  EXPECT_EQ(two.unit_makespan, 33);
  const Schedule three = schedule_of(chain(4, 1, 3), "kfkb", {.mini_batch = 8});
  EXPECT_THAT(in_flight_peaks(three), ElementsAre(8, 8, 6, 3));
  EXPECT_EQ(three.unit_makespan, 33);
}

TEST(KForwardKBackward, IsOneForwardOneBackwardForKOne) {
  const ScheduleOptions options{.mini_batch = 8};
  EXPECT_EQ(schedule_of(chain(4), "kfkb", options).sequence,
            schedule_of(chain(4), "1f1b", options).sequence);
}

TEST(ExtraInFlight, IsAddedToEveryStageButTheSink) {
  EXPECT_THAT(in_flight_samples(chain(4), {.mini_batch = 8, .extra_in_flight = 2}),
              ElementsAre(6, 5, 4, 1));
  // b = 4: 16, 12, 8 and the extra rounded up to 4.
  EXPECT_THAT(in_flight_samples(chain(4, 4), {.mini_batch = 32, .extra_in_flight = 1}),
              ElementsAre(20, 16, 12, 4));
}

TEST(Schedules, AMicroBatchAboveTheMiniBatchIsClipped) {
  const Schedule schedule = schedule_of(chain(3, 8), "1f1b", {.mini_batch = 5});
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(5, 5, 5));
  EXPECT_EQ(test::tokens(schedule.stages[2].tasks), "F2[0,5) B2[0,5)");
  EXPECT_EQ(schedule.unit_makespan, 3 * 5 * (1 + 2));
}

TEST(Schedules, RaggedMicroBatchesOverlapAsTheyCan) {
  // b = 3 on 8 samples. Stage 1: F 3-6, B 6-12; F1[3,6) 12-15, B 15-21; F1[6,8) 21-23, B 23-27;
  // stage 0's last backward of 2 samples ends at 31.
  const Schedule schedule = schedule_of(chain(2, 3), "1f1b", {.mini_batch = 8});
  EXPECT_EQ(schedule.unit_makespan, 31);
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(6, 3));
}

TEST(Schedules, RefuseOptionsTheyHaveNoUseFor) {
  const ComputationGraph graph = test::chain_graph(2);
  const auto refuses = [&](std::string_view name, auto change) {
    std::vector<Stage> list = test::stage_per_operator(graph);
    change(list[0]);
    const StageGraph stages(graph, list, PlanKind::Graph);
    EXPECT_THROW(make_schedule(stages, *find_schedule(name), {.mini_batch = 4}), ConfigError);
  };
  refuses("gpipe", [](Stage& stage) { stage.in_flight = 2; });
  refuses("gpipe", [](Stage& stage) { stage.k = 2; });
  refuses("1f1b", [](Stage& stage) { stage.k = 2; });
  refuses("kfkb", [](Stage& stage) {
    stage.k = 3;
    stage.in_flight = 2;
  });
}

TEST(Schedules, GPipeHasNoUseForExtraSamples) {
  EXPECT_THROW(schedule_of(chain(2), "gpipe", {.mini_batch = 4, .extra_in_flight = 1}),
               ConfigError);
}

TEST(Schedules, AreFoundByName) {
  for (const ScheduleEntry& entry : schedule_table()) EXPECT_EQ(find_schedule(entry.name), &entry);
  EXPECT_EQ(find_schedule("2f2b"), nullptr);
}

}  // namespace
}  // namespace pipegraph
