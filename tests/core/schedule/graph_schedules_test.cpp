// In-flight samples and unit makespans (F = 1, B = 2 per sample) on graphs of stages and with
// several micro-batch sizes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using test::in_flight_peaks;
using test::schedule_of;
using testing::ElementsAre;

StageGraph chain_with(const std::vector<std::int32_t>& micro_batch) {
  const ComputationGraph graph = test::chain_graph(static_cast<int>(micro_batch.size()));
  return StageGraph(graph, test::stage_per_operator(graph, micro_batch), PlanKind::Graph);
}

TEST(InFlight, GrowsTowardsTheSourceByTheLargerMicroBatch) {
  // Sink 4; then 4 + max(2, 4) = 8; then 8 + max(1, 2) = 10.
  EXPECT_THAT(in_flight_samples(chain_with({1, 2, 4}), {.mini_batch = 64}), ElementsAre(10, 8, 4));
  EXPECT_THAT(in_flight_samples(chain_with({4, 4, 4}), {.mini_batch = 64}), ElementsAre(12, 8, 4));
  EXPECT_THAT(in_flight_samples(chain_with({1, 4}), {.mini_batch = 16}), ElementsAre(8, 4));
}

TEST(InFlight, OfALargerMicroBatchAboveASmallerIsOneMoreThanNeeded) {
  // 4 (ceil(1 / 4) + 1) = 8, not 1 + 4 rounded up to 8 by chance: 4 (ceil(5 / 4) + 1) = 12 for the
  // stage above, where 5 + 4 rounds up to 12 too; b = 4 over b = 3: 4 (ceil(3 / 4) + 1) = 8.
  EXPECT_THAT(in_flight_samples(chain_with({4, 1}), {.mini_batch = 16}), ElementsAre(8, 1));
  EXPECT_THAT(in_flight_samples(chain_with({4, 3}), {.mini_batch = 16}), ElementsAre(8, 3));
  // b = 3 over b = 2 over b = 2: sink 2, middle 4, 3 (ceil(4 / 3) + 1) = 9.
  EXPECT_THAT(in_flight_samples(chain_with({3, 2, 2}), {.mini_batch = 16}), ElementsAre(9, 4, 2));
}

TEST(InFlight, OfAStageReplacesTheRuleForThoseAboveIt) {
  const ComputationGraph graph = test::chain_graph(3);
  std::vector<Stage> list = test::stage_per_operator(graph);
  list[1].in_flight = 5;
  const StageGraph stages(graph, list, PlanKind::Graph);
  EXPECT_THAT(in_flight_samples(stages, {.mini_batch = 8}), ElementsAre(6, 5, 1));
  EXPECT_THAT(in_flight_samples(stages, {.mini_batch = 8, .extra_in_flight = 1}),
              ElementsAre(7, 5, 1));
}

TEST(InFlight, ExtraSamplesKeepTheRuleWhereSizesDiffer) {
  // Sink 6; 11 (ceil(6 / 11) + 1) = 22, and 2 more rounded up to 33. Stage 0: 22 + max(15, 11) = 37
  // would be 39 and 42 with the extra, but above 33 it needs 33 + 15 = 48.
  const ComputationGraph graph = test::chain_graph(3);
  std::vector<Stage> list = test::stage_per_operator(graph, {3, 11, 6});
  list[0].k = 5;
  const StageGraph stages(graph, list, PlanKind::Graph);
  const ScheduleOptions options{.mini_batch = 54, .extra_in_flight = 2};
  EXPECT_THAT(in_flight_samples(stages, options), ElementsAre(48, 33, 6));
  EXPECT_EQ(schedule_of(stages, "kfkb", options).sequence.size(), 2U * (18 + 5 + 9));
}

TEST(InFlight, OfAGraphFollowsTheLongestPathAndOfASequentialPlanItsChain) {
  const ComputationGraph graph = test::fork_join_graph(4, 2);
  const ScheduleOptions options{.mini_batch = 16};
  const StageGraph as_graph(graph, test::stage_per_operator(graph), PlanKind::Graph);
  EXPECT_THAT(in_flight_samples(as_graph, options), ElementsAre(4, 3, 2, 3, 2, 3, 2, 3, 2, 1));
  const StageGraph as_chain(graph, test::stage_per_operator(graph), PlanKind::Sequential);
  EXPECT_THAT(in_flight_samples(as_chain, options), ElementsAre(10, 9, 8, 7, 6, 5, 4, 3, 2, 1));
}

TEST(GraphSchedules, FourMicroBatchesOfOneFeedOneOfFour) {
  // Stage 1 (b = 4): F 4-8, B 8-16, ... ; stage 0's forwards of 4 are ready again by 16: 4 times
  // 4 x 3 of stage 1, 4 before the first and 4 backwards of 2 after the last: 4 + 48 + 8 = 60.
  const Schedule schedule = schedule_of(chain_with({1, 4}), "1f1b", {.mini_batch = 16});
  EXPECT_EQ(schedule.unit_makespan, 60);
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(8, 4));
}

TEST(GraphSchedules, AMicroBatchOfFourFeedsFourOfOne) {
  // The same by symmetry: 4 of the first forward, 16 x 3 of stage 1, 4 x 2 of the last backward.
  const Schedule schedule = schedule_of(chain_with({4, 1}), "1f1b", {.mini_batch = 16});
  EXPECT_EQ(schedule.unit_makespan, 60);
  EXPECT_THAT(in_flight_peaks(schedule), ElementsAre(8, 1));
}

// GraphPipe's sample strategies for CANDLE-Uno (arXiv 2406.17145), micro-batches of 64: four stages
// of whole branches, which the stage that concatenates them reads, and the rest of the tail.
std::vector<Operator> seven_branches_and_a_tail() {
  std::vector<Operator> operators;
  std::vector<OperatorId> ends;
  for (int branch = 0; branch < 7; ++branch)
    for (int layer = 0; layer < 4; ++layer) {
      std::vector<OperatorId> inputs;
      if (layer > 0) inputs = {make_id<OperatorId>(operators.size() - 1)};
      if (layer == 3) ends.push_back(make_id<OperatorId>(operators.size()));
      operators.push_back(test::tiny_operator(fmt::format("b{}.{}", branch, layer), inputs));
    }
  operators.push_back(test::tiny_operator("concat", ends));
  for (int layer = 0; layer < 5; ++layer)
    operators.push_back(test::tiny_operator(fmt::format("tail{}", layer),
                                            {make_id<OperatorId>(operators.size() - 1)}));
  return operators;
}

/// Operators from `begin` to before each of `ends`, a stage each, on a device each.
std::vector<Stage> consecutive_stages(const std::vector<std::size_t>& ends, std::int32_t b) {
  std::vector<Stage> stages;
  std::size_t op = 0;
  for (const std::size_t end : ends) {
    Stage& stage = stages.emplace_back();
    stage.name = fmt::format("s{}", stages.size());
    for (; op < end; ++op) stage.operators.push_back(make_id<OperatorId>(op));
    stage.devices = {make_id<DeviceId>(stages.size() - 1)};
    stage.micro_batch = b;
  }
  return stages;
}

TEST(GraphSchedules, HoldInFlightWhatGraphpipesSampleStrategiesDo) {
  const ComputationGraph graph("candle_uno", seven_branches_and_a_tail());
  // Two, two, two and one branch of four layers; concat and two layers; the other three.
  const std::vector<Stage> stages = consecutive_stages({8, 16, 24, 28, 31, 34}, 64);
  const ScheduleOptions options{.mini_batch = 1024};
  const StageGraph as_graph(graph, stages, PlanKind::Graph);
  EXPECT_EQ(as_graph.depth(), 3);
  const Schedule side_by_side = schedule_of(as_graph, "1f1b", options);
  // The published list begins with the joining stage: 128 192 192 192 192 64, 960 in all.
  EXPECT_THAT(in_flight_peaks(side_by_side), ElementsAre(192, 192, 192, 192, 128, 64));
  const StageGraph as_chain(graph, stages, PlanKind::Sequential);
  EXPECT_EQ(as_chain.depth(), 6);
  const Schedule one_by_one = schedule_of(as_chain, "1f1b", options);
  EXPECT_THAT(in_flight_peaks(one_by_one), ElementsAre(384, 320, 256, 192, 128, 64));  // 1344
}

TEST(GraphSchedules, TwoBranchesOfFourBeatTheirChain) {
  const ComputationGraph graph = test::two_branches_graph();  // a0..a3, b0..b3, b3 -> a3
  const StageGraph as_graph(graph, test::stage_per_operator(graph), PlanKind::Graph);
  EXPECT_EQ(as_graph.depth(), 5);
  const Schedule eight = schedule_of(as_graph, "1f1b", {.mini_batch = 8});
  EXPECT_THAT(in_flight_peaks(eight), ElementsAre(4, 3, 2, 1, 5, 4, 3, 2));
  EXPECT_EQ(eight.unit_makespan, 36);  // (8 + 5 - 1) x 3
  EXPECT_EQ(schedule_of(as_graph, "1f1b", {.mini_batch = 16}).unit_makespan, 60);
}

TEST(GraphSchedules, AChainOfTwoBranchesIsAsDeepAsItsStages) {
  const ComputationGraph graph = test::two_branches_graph();
  const std::vector<Stage> listed = test::stage_per_operator(graph);
  std::vector<Stage> order{listed[0], listed[1], listed[2], listed[4],
                           listed[5], listed[6], listed[7], listed[3]};
  const StageGraph as_chain(graph, order, PlanKind::Sequential);
  const Schedule eight = schedule_of(as_chain, "1f1b", {.mini_batch = 8});
  EXPECT_THAT(in_flight_peaks(eight), ElementsAre(8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_EQ(eight.unit_makespan, 45);  // (8 + 8 - 1) x 3
  EXPECT_EQ(schedule_of(as_chain, "1f1b", {.mini_batch = 16}).unit_makespan, 69);
}

TEST(GraphSchedules, FourBranchesWithStemAndJoin) {
  const ComputationGraph graph = test::fork_join_graph(4, 2);
  const ScheduleOptions options{.mini_batch = 16};
  const auto makespan = [&](PlanKind kind) {
    return schedule_of(StageGraph(graph, test::stage_per_operator(graph), kind), "1f1b", options)
        .unit_makespan;
  };
  EXPECT_EQ(makespan(PlanKind::Graph), 57);       // (16 + 4 - 1) x 3
  EXPECT_EQ(makespan(PlanKind::Sequential), 75);  // (16 + 10 - 1) x 3
}

TEST(GraphSchedules, ReplicasShareTheWork) {
  // Two stages on two devices each, micro-batches of 2: each replica has one sample of each, so the
  // chain of 4 micro-batches takes (4 + 2 - 1) x 3.
  const ComputationGraph graph = test::chain_graph(2);
  const StageGraph stages(graph, test::replicated(test::stage_per_operator(graph, 2), 2),
                          PlanKind::Graph);
  const Schedule schedule = schedule_of(stages, "1f1b", {.mini_batch = 8});
  EXPECT_EQ(schedule.unit_makespan, 15);
  EXPECT_EQ(schedule.sequence.size(), 2U * 2U * 4U * 2U);
}

TEST(GraphSchedules, AReplicaWithoutSamplesOfTheRaggedEndRunsNothing) {
  // b = 3 on 3 replicas, 5 samples: the last micro-batch of 2 leaves replica 0 empty.
  const ComputationGraph graph = test::chain_graph(1);
  const StageGraph stages(graph, test::replicated(test::stage_per_operator(graph, 3), 3),
                          PlanKind::Graph);
  const Schedule schedule = schedule_of(stages, "1f1b", {.mini_batch = 5});
  std::vector<int> tasks(3);
  for (const DeviceTask& task : schedule.sequence) ++tasks[task.device.index()];
  EXPECT_THAT(tasks, ElementsAre(2, 4, 4));
}

TEST(GraphSchedules, AConsumerReplicaWaitsForTheProducersOfItsSamplesOnly) {
  // Stage 0 on devices 0, 1 (b = 2), stage 1 on device 2 (b = 1): its first sample needs replica 0
  // alone. Forward 0-1, then F1[0,1) 1-2, B1[0,1) 2-4, F1[1,2) 4-5, B1[1,2) 5-7, B0 of replica 1
  // 7-9.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph, {2, 1});
  list[0].devices = {DeviceId{0}, DeviceId{1}};
  list[1].devices = {DeviceId{2}};
  const Schedule schedule =
      schedule_of(StageGraph(graph, list, PlanKind::Graph), "1f1b", {.mini_batch = 2});
  EXPECT_EQ(schedule.unit_makespan, 9);
}

}  // namespace
}  // namespace pipegraph
