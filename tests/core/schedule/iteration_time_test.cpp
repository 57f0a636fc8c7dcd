// Iteration times by the recurrence over stages, redone by hand; tests/core/planners compares it
// with the analytic backend on thousands of random plans.
#include "core/schedule/iteration_time.h"

#include <gmock/gmock.h>

#include "core/base/errors.h"
#include "core/schedule/replica_channels.h"
#include "tests/core/schedule/schedule_support.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;

/// Forwards of 1 s, backwards of 2 s whatever the samples, free optimizer steps.
IterationCosts plain_costs(Seconds message) {
  IterationCosts costs;
  costs.pass = [](StageId, std::int32_t, Pass pass, std::int32_t) {
    return Seconds{pass == Pass::Forward ? 1.0 : 2.0};
  };
  costs.message = [message](DeviceId, DeviceId, Bytes) { return message; };
  costs.optimizer = [](StageId, std::int32_t) { return Seconds{0}; };
  return costs;
}

std::vector<StageSchedule> orders_of(const StageGraph& stages, std::int32_t mini_batch) {
  return find_schedule("1f1b")->order_stages(stages, {.mini_batch = mini_batch});
}

TEST(IterationTime, OfAChainWaitsForMessages) {
  // Messages of 0.5 s. Stage 0: F0 to 1, F1 to 2. Stage 1: F0 1.5 to 2.5, B0 to 4.5, F1 to 5.5, B1
  // to 7.5. Stage 0: B0 from 5 to 7, B1 from 8 to 10.
  const ComputationGraph graph = test::chain_graph(2);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  EXPECT_EQ(iteration_time(graph, stages, orders_of(stages, 2), plain_costs(Seconds{0.5})),
            Seconds{10});
}

TEST(IterationTime, AJoinStartsAfterTheSlowerBranch) {
  // One micro-batch: fork to 1; left (5 s) to 6, right to 2; join to 7, its backward to 9; left's
  // backward to 19, right's to 11; the fork's to 21.
  const ComputationGraph graph = test::diamond_graph();
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  IterationCosts costs = plain_costs(Seconds{0});
  costs.pass = [](StageId stage, std::int32_t, Pass pass, std::int32_t) {
    return Seconds{(stage.value == 1 ? 5.0 : 1.0) * (pass == Pass::Forward ? 1 : 2)};
  };
  EXPECT_EQ(iteration_time(graph, stages, orders_of(stages, 1), costs), Seconds{21});
}

TEST(IterationTime, AChannelCarriesOneMessageAfterTheOther) {
  // Messages of 5 s, both ways: stage 0 ends F0, F1 at 1, 2; they arrive at 6 and 11. Stage 1: F0,
  // B0 to 9, F1 to 12, B1 to 14. Gradients arrive at 14 and 19: B0 to 16, B1 to 21.
  const ComputationGraph graph = test::chain_graph(2);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  EXPECT_EQ(iteration_time(graph, stages, orders_of(stages, 2), plain_costs(Seconds{5})),
            Seconds{21});
}

TEST(IterationTime, SumsFollowTheLastBackwardAndOptimizersTheSums) {
  // Stage 1 (two replicas) ends at 1 + 3 = 4, stage 0 at 6. The sum of stage 1 runs from 4 to 11,
  // the one of both from 6 to 8, and another of both after that to 10. Steps of 0.5 s: 11.5.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph, 2);
  list[1].devices.emplace_back(2);
  const StageGraph stages(graph, list, PlanKind::Graph);
  IterationCosts costs = plain_costs(Seconds{0});
  const StageId first{0};
  const StageId second{1};
  costs.reductions = {
      {{second}, Seconds{7}}, {{first, second}, Seconds{2}}, {{first, second}, Seconds{2}}};
  costs.optimizer = [](StageId, std::int32_t) { return Seconds{0.5}; };
  EXPECT_EQ(iteration_time(graph, stages, orders_of(stages, 2), costs), Seconds{11.5});
  costs.reductions[0].time = Seconds{1};
  EXPECT_EQ(iteration_time(graph, stages, orders_of(stages, 2), costs), Seconds{10.5});
}

TEST(IterationTime, OfOrdersThatWaitForEachOtherIsNothing) {
  // Stage 0 wants the gradient of micro-batch 0 before it forwards 1, stage 1 forwards both first.
  const ComputationGraph graph = test::chain_graph(2);
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  std::vector<StageSchedule> orders = orders_of(stages, 2);
  std::swap(orders[0].tasks[1], orders[0].tasks[2]);
  std::swap(orders[1].tasks[1], orders[1].tasks[2]);
  EXPECT_EQ(iteration_time(graph, stages, orders, plain_costs(Seconds{0})), std::nullopt);
}

TEST(IterationTime, IsUnknownWhereStagesShareADevice) {
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> list = test::stage_per_operator(graph);
  EXPECT_TRUE(iteration_time_is_known(StageGraph(graph, list, PlanKind::Graph)));
  list[1].devices = list[0].devices;
  const StageGraph stages(graph, list, PlanKind::Graph);
  EXPECT_FALSE(iteration_time_is_known(stages));
  EXPECT_THROW(iteration_time(graph, stages, orders_of(stages, 1), plain_costs(Seconds{0})),
               InternalError);
}

/// (sender, reader, samples of each message, what each micro-batch of the reader needs last).
auto is_channel(int sender, int reader, std::vector<int> samples, std::vector<int> needed) {
  return testing::Truly([=](const ReplicaChannel& channel) {
    std::vector<int> carried;
    for (const ReplicaMessage& message : channel.messages) carried.push_back(message.samples);
    return channel.sender == sender && channel.reader == reader && carried == samples &&
           channel.last_needed == needed;
  });
}

TEST(ReplicaChannels, OfOneReplicaCarryWholeMicroBatchesOfTheSender) {
  // Four samples each, read in twos and in one of eight.
  EXPECT_THAT(replica_channels({8, 4, 1}, {8, 2, 1}, std::vector{0, 1}),
              ElementsAre(is_channel(0, 0, {4, 4}, {0, 0, 1, 1})));
  EXPECT_THAT(replica_channels({8, 4, 1}, {8, 8, 1}, std::vector{0, 1}),
              ElementsAre(is_channel(0, 0, {4, 4}, {1})));
}

TEST(ReplicaChannels, CarryEachContiguousRangeByItself) {
  // Readers of [0,2), [2,4) with a sample each: of four samples reader 0 needs 0 and 2.
  EXPECT_THAT(replica_channels({4, 4, 1}, {4, 2, 2}, std::vector{0}),
              ElementsAre(is_channel(0, 0, {1, 1}, {0, 1}), is_channel(0, 1, {1, 1}, {0, 1})));
}

TEST(ReplicaChannels, JoinReplicasWhoseSharesOverlap) {
  // Six samples: halves [0,3), [3,6) against thirds [0,2), [2,4), [4,6); then two more: [6,7),
  // [7,8) against [6,6), [6,7), [7,8).
  EXPECT_THAT(replica_channels({8, 6, 2}, {8, 6, 3}, std::vector{0, 1}),
              ElementsAre(is_channel(0, 0, {2}, {0, -1}), is_channel(0, 1, {1, 1}, {0, 1}),
                          is_channel(1, 1, {1}, {0, -1}), is_channel(1, 2, {2, 1}, {0, 1})));
}

TEST(ReplicaChannels, AreInTheOrderOfTheSendersPasses) {
  // The last micro-batch goes first: the reader's first needs the second message.
  EXPECT_THAT(replica_channels({4, 2, 1}, {4, 2, 1}, std::vector{1, 0}),
              ElementsAre(is_channel(0, 0, {2, 2}, {1, 0})));
}

}  // namespace
}  // namespace pipegraph
