// 1F1B with split backwards at F = I = W = 1 per sample (I for the inputs, W for the weights),
// against a lower bound and against a greedy schedule under the same bound.
#include <gmock/gmock.h>

#include <random>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using test::chain;
using test::in_flight_peaks;
using test::schedule_of;
using testing::Each;
using testing::ElementsAre;

/// No schedule of P stages is faster, whatever it keeps. The sink begins after P - 1 forwards and
/// has 3 M to do. And its last gradient leaves at P - 1 + 2 M at the earliest, then has P - 1 more
/// stages to pass, of which the first has a W left.
std::int64_t least_makespan(std::int64_t stages, std::int64_t batches) {
  return stages - 1 + std::max(3 * batches, 2 * batches + stages);
}

TEST(ZeroBubble, IsAsFastAsAnySplitScheduleWithAsMuchInFlightAsOneForwardOneBackward) {
  for (int stages = 1; stages <= 8; ++stages)
    for (int batches = 1; batches <= 24; ++batches) {
      const Schedule schedule = schedule_of(chain(stages), "zb1p", {.mini_batch = batches});
      EXPECT_EQ(schedule.unit_makespan, least_makespan(stages, batches))
          << stages << " stages, " << batches << " micro-batches";
      EXPECT_THAT(in_flight_peaks(schedule), Each(std::min(stages, batches)));
    }
}

TEST(ZeroBubble, LeavesOfTheBubbleFillingWithoutW) {
  // M (F + I + W) + (P - 1)(F + I - W): 24 + 3 and 96 + 7, where 1F1B takes 33 and 117.
  EXPECT_EQ(schedule_of(chain(4), "zb1p", {.mini_batch = 8}).unit_makespan, 27);
  EXPECT_EQ(schedule_of(chain(8), "zb1p", {.mini_batch = 32}).unit_makespan, 103);
}

TEST(ZeroBubble, DelaysWeightsUntilAnotherForwardWouldBeTooMuch) {
  // Two stages, bound 2. The sink: after I[0] it has sample 0 in flight, F[1] makes two; F[2] would
  // be the third, so W[0] goes first. Stage 0 has two in flight before its first backward.
  const Schedule schedule = schedule_of(chain(2), "zb1p", {.mini_batch = 3});
  EXPECT_EQ(test::tokens(schedule.stages[0].tasks),
            "F0[0,1) F0[1,2) I0[0,1) W0[0,1) F0[2,3) I0[1,2) W0[1,2) I0[2,3) W0[2,3)");
  EXPECT_EQ(test::tokens(schedule.stages[1].tasks),
            "F1[0,1) I1[0,1) F1[1,2) I1[1,2) W1[0,1) F1[2,3) I1[2,3) W1[1,2) W1[2,3)");
}

/// What the greedy schedule keeps and takes.
struct Greedy {
  int makespan = 0;
  int most_in_flight = 0;
};

/// Every free stage of a chain takes what is ready: an I, else an F unless `bound` samples wait for
/// their W, else a W.
Greedy run_greedy(std::size_t stages, int batches, int bound) {
  std::vector<int> f(stages), i(stages), w(stages);  // done by the current moment
  Greedy result;
  for (; w.front() < batches || w.back() < batches; ++result.makespan) {
    const auto f_before = f, i_before = i;
    for (std::size_t s = 0; s < stages; ++s) {
      const int forwards = s == 0 ? batches : f_before[s - 1];
      const int gradients = s + 1 == stages ? f_before[s] : std::min(f_before[s], i_before[s + 1]);
      if (i[s] < gradients)
        ++i[s];
      else if (f[s] < forwards && f[s] - w[s] < bound)
        ++f[s];
      else if (w[s] < i[s])
        ++w[s];
      result.most_in_flight = std::max(result.most_in_flight, f[s] - w[s]);
    }
  }
  return result;
}

TEST(ZeroBubble, BeatsAGreedyScheduleThatKeepsAsMuch) {
  // Greed forwards too early and has no room left when it counts: 29 and 105 with P in flight.
  // Only with more it reaches 27 (one more) and 103 (two more).
  EXPECT_EQ(run_greedy(4, 8, 4).makespan, 29);
  EXPECT_EQ(run_greedy(4, 8, 5).makespan, 27);
  EXPECT_EQ(run_greedy(4, 8, 5).most_in_flight, 5);
  EXPECT_EQ(run_greedy(8, 32, 8).makespan, 105);
  EXPECT_EQ(run_greedy(8, 32, 10).makespan, 103);
  EXPECT_EQ(run_greedy(8, 32, 10).most_in_flight, 10);
  for (int stages = 1; stages <= 6; ++stages)
    for (int batches = 1; batches <= 12; ++batches)
      EXPECT_LE(schedule_of(chain(stages), "zb1p", {.mini_batch = batches}).unit_makespan,
                run_greedy(static_cast<std::size_t>(stages), batches, stages).makespan);
}

TEST(ZeroBubble, KeepsItsOwnInFlightAndNoMore) {
  // Stage 2 may keep one sample: F I W in turn, 3 each. It begins at 2 and ends at 2 + 3 x 8 = 26,
  // its last gradient at 25: two more I and stage 0's W end at 28.
  const ComputationGraph graph = test::chain_graph(3);
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[2].in_flight = 1;
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "zb1p", {.mini_batch = 8});
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(3, 3, 1));
  EXPECT_EQ(schedule.unit_makespan, 28);
}

TEST(ZeroBubble, MoreInFlightThanTheRuleDelaysWeightsAndForwardsNoEarlier) {
  // The bound of the sink is 8 = M: all its W come last.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[1].in_flight = 8;
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "zb1p", {.mini_batch = 3});
  EXPECT_EQ(test::tokens(schedule.stages[1].tasks),
            "F1[0,1) I1[0,1) F1[1,2) I1[1,2) F1[2,3) I1[2,3) W1[0,1) W1[1,2) W1[2,3)");
  EXPECT_EQ(test::tokens(schedule.stages[0].tasks).substr(0, 23), "F0[0,1) F0[1,2) I0[0,1)");
}

TEST(ZeroBubble, ExtraSamplesRaiseTheBoundOfAllStagesBelow) {
  EXPECT_THAT(
      in_flight_peaks(schedule_of(chain(4), "zb1p", {.mini_batch = 16, .extra_in_flight = 2})),
      Each(4 + 2));
}

TEST(ZeroBubble, OfAGraphLetsEveryStageKeepWhatTheFullestKeeps) {
  // a0..a3 with w = 4 3 2 1, b0..b3 with 5 4 3 2; b3 feeds a3.
  const ComputationGraph graph = test::two_branches_graph();
  const Schedule schedule =
      schedule_of(StageGraph(graph, test::stage_per_operator(graph), PlanKind::Graph), "zb1p",
                  {.mini_batch = 16});
  EXPECT_THAT(in_flight_peaks(schedule), Each(5));
  EXPECT_EQ(schedule.unit_makespan, least_makespan(5, 16));  // 52; 1F1B takes 60
}

TEST(ZeroBubble, IsNeverSlowerThanOneForwardOneBackwardOnAGraph) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const ComputationGraph graph = test::random_graph(random, 8);
    const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
    const ScheduleOptions options{.mini_batch = 1 + round % 12};
    EXPECT_LE(schedule_of(stages, "zb1p", options).unit_makespan,
              schedule_of(stages, "1f1b", options).unit_makespan);
  }
}

TEST(ZeroBubble, SplitsMicroBatchesOfSeveralSizes) {
  const ComputationGraph graph = test::chain_graph(3);
  const StageGraph stages(graph, test::stage_per_operator(graph, {4, 1, 3}), PlanKind::Graph);
  const std::vector<std::int64_t> rule = in_flight_samples(stages, {.mini_batch = 23});
  // 3; 3 + max(1, 3); 4 (ceil(6 / 4) + 1). The bound is 12 for all.
  EXPECT_THAT(rule, ElementsAre(12, 6, 3));
  const Schedule schedule = schedule_of(stages, "zb1p", {.mini_batch = 23});
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(12, 12, 12));
}

TEST(ZeroBubble, RefusesK) {
  EXPECT_THROW(schedule_of(chain(2, 1, 2), "zb1p", {.mini_batch = 4}), ConfigError);
}

}  // namespace
}  // namespace pipegraph
