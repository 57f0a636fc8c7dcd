// What the lowering makes of small plans.
#include "core/program/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/text.h"
#include "tests/core/program/plans.h"
#include "tests/support/golden.h"

namespace pipegraph {
namespace {

using test::find;
using test::find_one;
using test::make_plan;
using test::plan_of;
using test::TinyPlan;
using test::waits_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> tokens_on(const Program& program, DeviceId device) {
  std::vector<std::string> tokens;
  for (const Instruction& i : program.instructions())
    if (i.device == device) tokens.push_back(to_text(i));
  return tokens;
}

void expect_valid(const TinyPlan& plan) {
  const ValidationReport report = plan.validated();
  EXPECT_EQ(report.verdict, Verdict::Strict) << report.cycle_text;
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST(Lower, ChainHasThePassesOfItsScheduleWithTheirTransfers) {
  const TinyPlan plan = plan_of(test::chain_graph(3), 3);
  expect_valid(plan);
  expect_golden("program/chain_3x3_1f1b.txt", to_text(plan.program));
}

TEST(Lower, DiamondSendsToBothBranchesAndJoins) {
  const TinyPlan plan = plan_of(test::diamond_graph(), 2);
  expect_valid(plan);
  expect_golden("program/diamond_2_1f1b.txt", to_text(plan.program));
}

TEST(Lower, SequentialChainIsTheSameProgramAsItsGraph) {
  EXPECT_EQ(plan_of(test::chain_graph(4), 5).program,
            plan_of(test::chain_graph(4), 5, {.kind = PlanKind::Sequential}).program);
}

TEST(Lower, ReplicasOwnFloorShares) {
  // 3 samples on 2 replicas: [0,1) and [1,3); 2 on 2: one each.
  const ComputationGraph graph = test::chain_graph(1);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 5});
  const TinyPlan plan =
      make_plan(workload, test::replicated(test::stage_per_operator(graph, 3), 2));
  EXPECT_THAT(tokens_on(plan.program, DeviceId{0}),
              ElementsAre("F0[0,1)", "B0[0,1)", "F0[3,4)", "B0[3,4)"));
  EXPECT_THAT(tokens_on(plan.program, DeviceId{1}),
              ElementsAre("F0[1,3)", "B0[1,3)", "F0[4,5)", "B0[4,5)"));
  // 1 s and 2 s per sample of the share.
  EXPECT_EQ(plan.program.at(find_one(plan.program, DeviceId{1}, "B0[1,3)")).duration, Seconds{4});
  expect_valid(plan);
}

TEST(Lower, AnEmptyShareHasNoInstruction) {
  // The last micro-batch has 1 sample: floor(1/2) = 0, so it is replica 1's.
  const ComputationGraph graph = test::chain_graph(1);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 3});
  const TinyPlan plan =
      make_plan(workload, test::replicated(test::stage_per_operator(graph, 2), 2));
  EXPECT_THAT(tokens_on(plan.program, DeviceId{0}), ElementsAre("F0[0,1)", "B0[0,1)"));
  EXPECT_THAT(tokens_on(plan.program, DeviceId{1}),
              ElementsAre("F0[1,2)", "B0[1,2)", "F0[2,3)", "B0[2,3)"));
  expect_valid(plan);
}

TEST(Lower, MessagesCarryMaximalContiguousRanges) {
  // Stage 0: 4 samples on one device. Stage 1: 2 samples on two replicas, so that d1 owns samples 0
  // and 2, d2 owns 1 and 3. From one forward: four messages of one sample. Stage 2 on one device
  // takes 1 sample at a time: from a share of one sample one message each.
  const ComputationGraph graph = test::chain_graph(3);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(4), {.mini_batch = 4});
  std::vector<Stage> stages = test::stage_per_operator(graph, {4, 2, 1});
  stages[1].devices = {DeviceId{1}, DeviceId{2}};
  stages[2].devices = {DeviceId{3}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  EXPECT_EQ(find(plan.program, DeviceId{0}, "send F0[0,1)>d1").size(), 1u);
  EXPECT_EQ(find(plan.program, DeviceId{0}, "send F0[2,3)>d1").size(), 1u);
  EXPECT_EQ(find(plan.program, DeviceId{0}, "send F0[1,2)>d2").size(), 1u);
  EXPECT_EQ(find(plan.program, DeviceId{0}, "send F0[3,4)>d2").size(), 1u);
  // All of stage 0's gradients come from four backwards.
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "B0[0,4)")),
              ElementsAre("F0[0,4)", "recv B1[0,1)<d1", "recv B1[1,2)<d2", "recv B1[2,3)<d1",
                          "recv B1[3,4)<d2"));
}

TEST(Lower, SmallMicroBatchesAboveALargeOneSendOneMessageEach) {
  const ComputationGraph graph = test::chain_graph(2);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 4});
  const TinyPlan plan = make_plan(workload, test::stage_per_operator(graph, {2, 4}));
  expect_valid(plan);
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{1}, "F1[0,4)")),
              ElementsAre("recv F0[0,2)<d0", "recv F0[2,4)<d0"));
  // The backward's gradients are one message per backward of the larger micro-batch.
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "B0[2,4)")),
              ElementsAre("F0[2,4)", "recv B1[0,4)<d1"));
}

TEST(Lower, ATensorWithSeveralConsumersOnADeviceTravelsOnce) {
  // fork -> left, right on one device: one message forward, two backward (two passes).
  const ComputationGraph graph = test::diamond_graph();
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 1});
  std::vector<Stage> stages = test::stage_per_operator(graph);
  stages[1].devices = stages[2].devices = {DeviceId{1}};
  stages[3].devices = {DeviceId{0}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  const InstructionId send = find_one(plan.program, DeviceId{0}, "send F0[0,1)>d1");
  EXPECT_EQ(plan.program.at(send).bytes, Bytes{1024});
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "B0[0,1)")),
              ElementsAre("F0[0,1)", "recv B1[0,1)<d1", "recv B2[0,1)<d1"));
}

TEST(Lower, AllTensorsOfAPassForADeviceShareOneMessage) {
  // Operators 0 and 1 in stage 0, both read by operator 2 in stage 1: 1024 + 512 bytes x 2 samples.
  std::vector<Operator> operators{test::tiny_operator("a", {}),
                                  test::tiny_operator("b", {OperatorId{0}}, {.output = Bytes{512}}),
                                  test::tiny_operator("c", {OperatorId{0}, OperatorId{1}})};
  const ComputationGraph graph("two", operators);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 2});
  std::vector<Stage> stages = test::stage_per_operator(graph, 2);
  stages[0].operators = {OperatorId{0}, OperatorId{1}};
  stages.erase(stages.begin() + 1);
  stages[1].devices = {DeviceId{1}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  const Instruction& send = plan.program.at(find_one(plan.program, DeviceId{0}, "send F0[0,2)>d1"));
  EXPECT_EQ(send.bytes, Bytes{2 * (1024 + 512)});
  EXPECT_EQ(plan.program.payloads()[send.payload.index()],
            (Payload{{OperatorId{0}, {0, 2}}, {OperatorId{1}, {0, 2}}}));
}

TEST(Lower, StagesOnOneDeviceExchangeNothingButWait) {
  const ComputationGraph graph = test::chain_graph(2);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(1), {.mini_batch = 1});
  std::vector<Stage> stages = test::stage_per_operator(graph);
  stages[1].devices = {DeviceId{0}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  EXPECT_THAT(tokens_on(plan.program, DeviceId{0}),
              ElementsAre("F0[0,1)", "F1[0,1)", "B1[0,1)", "B0[0,1)"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "F1[0,1)")),
              ElementsAre("F0[0,1)"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "B0[0,1)")),
              ElementsAre("F0[0,1)", "B1[0,1)"));
}

TEST(Lower, GradientsFlowOnlyForTensorsThatNeedThem) {
  ComputationGraph chain = test::chain_graph(2);
  std::vector<Operator> operators = chain.operators();
  operators[0].output_needs_gradient = false;
  const ComputationGraph graph("inputs", operators);
  const TinyPlan plan = plan_of(graph, 1);
  expect_valid(plan);
  EXPECT_THAT(tokens_on(plan.program, DeviceId{1}),
              ElementsAre("recv F0[0,1)<d0", "F1[0,1)", "B1[0,1)"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "B0[0,1)")),
              ElementsAre("F0[0,1)"));
}

TEST(Lower, SequentialPlansOrderStagesWithoutATensorBetweenByEmptyMessages) {
  // fork, left, right, join as a chain: left -> right has no tensor.
  const TinyPlan plan = plan_of(test::diamond_graph(), 1, {.kind = PlanKind::Sequential});
  expect_valid(plan);
  const Instruction& forward =
      plan.program.at(find_one(plan.program, DeviceId{1}, "send F1[0,1)>d2"));
  EXPECT_EQ(forward.bytes, Bytes{0});
  EXPECT_FALSE(forward.payload.valid());
  const Instruction& back = plan.program.at(find_one(plan.program, DeviceId{2}, "send B2[0,1)>d1"));
  EXPECT_EQ(back.bytes, Bytes{0});
  // Direct: fork's tensor goes straight to right.
  EXPECT_EQ(find(plan.program, DeviceId{0}, "send F0[0,1)>d2").size(), 1u);
}

TEST(Lower, RelayedTensorsHopThroughTheStagesBetween) {
  const TinyPlan plan = plan_of(test::diamond_graph(), 1,
                                {.kind = PlanKind::Sequential, .skip = SkipTransfer::Relay});
  expect_valid(plan);
  EXPECT_THAT(find(plan.program, DeviceId{0}, "send F0[0,1)>d2"), IsEmpty());
  // left sends fork's tensor (for right) and its own (for join): 2 x 1024.
  EXPECT_EQ(plan.program.at(find_one(plan.program, DeviceId{1}, "send F1[0,1)>d2")).bytes,
            Bytes{2048});
  // right sends left's tensor on and its own.
  EXPECT_EQ(plan.program.at(find_one(plan.program, DeviceId{2}, "send F2[0,1)>d3")).bytes,
            Bytes{2048});
}

TEST(Lower, WithoutOverlapEveryDeviceHasOneLane) {
  const TinyPlan plan = plan_of(test::diamond_graph(), 4, {.lowering = {.overlap = false}});
  expect_valid(plan);
  EXPECT_EQ(plan.program.lanes().size(), 4u);

  Device blocking;
  blocking.overlap = false;
  const ComputationGraph graph = test::chain_graph(2);
  Topology cluster = test::ideal_cluster(2);
  cluster = cluster.with_devices({cluster.device(DeviceId{0}), blocking});
  const TinyPlan mixed = make_plan(test::tiny_workload(graph, cluster, {.mini_batch = 2}),
                                   test::stage_per_operator(graph));
  expect_valid(mixed);
  EXPECT_EQ(mixed.program.lanes().size(), 3u + 1u);  // d0: compute, to d1, from d1; d1: one
}

TEST(Lower, StagesWithReplicasReduceTheirGradientsOnce) {
  const ComputationGraph graph = test::chain_graph(2, {.parameters = Bytes{100}});
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(3), {.mini_batch = 4});
  std::vector<Stage> stages = test::stage_per_operator(graph, 2);
  stages[1].devices = {DeviceId{1}, DeviceId{2}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  const Program& program = plan.program;
  EXPECT_THAT(find(program, DeviceId{0}, "all_reduce s0"), IsEmpty());
  for (const int d : {1, 2}) {
    const InstructionId id = find_one(program, DeviceId{d}, "all_reduce s1");
    EXPECT_EQ(program.at(id).bytes, Bytes{100});
    EXPECT_THAT(waits_of(program, id), ElementsAre(d == 1 ? "B1[2,3)" : "B1[3,4)"));
    EXPECT_THAT(waits_of(program, find_one(program, DeviceId{d}, "optimizer s1")),
                ElementsAre("all_reduce s1"));
  }
  EXPECT_THAT(waits_of(program, find_one(program, DeviceId{0}, "optimizer s0")),
              ElementsAre("B0[2,4)"));
}

/// A chain of three; the last operator is tied to the first.
ComputationGraph tied_chain() {
  std::vector<Operator> operators = test::chain_graph(3, {.parameters = Bytes{100}}).operators();
  operators[2].tied_to = OperatorId{0};
  return {"tied", operators};
}

TEST(Lower, TiedParametersAreReducedOnceOverTheUnionOfDevices) {
  const ComputationGraph graph = tied_chain();
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(4), {.mini_batch = 2});
  std::vector<Stage> stages = test::stage_per_operator(graph, 2);
  stages[0].devices = {DeviceId{0}, DeviceId{1}};
  stages[1].devices = {DeviceId{2}};
  stages[2].devices = {DeviceId{3}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  const Program& program = plan.program;
  EXPECT_THAT(find(program, DeviceId{0}, "all_reduce s0"), IsEmpty());  // all of it is tied
  ASSERT_EQ(program.groups().size(), 1u);
  EXPECT_THAT(program.groups()[0].devices, ElementsAre(DeviceId{0}, DeviceId{1}, DeviceId{3}));
  EXPECT_THAT(waits_of(program, find_one(program, DeviceId{1}, "all_reduce tied")),
              ElementsAre("B0[1,2)"));
  EXPECT_THAT(waits_of(program, find_one(program, DeviceId{3}, "optimizer s2")),
              ElementsAre("all_reduce tied"));
  EXPECT_EQ(program.at(find_one(program, DeviceId{3}, "all_reduce tied")).bytes, Bytes{100});
}

TEST(Lower, ParametersTiedOnOneDeviceAreUpdatedThereOnceWithoutReduction) {
  const ComputationGraph graph = tied_chain();
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 2});
  std::vector<Stage> stages = test::stage_per_operator(graph, 2);
  stages[2].devices = {DeviceId{0}};
  const TinyPlan plan = make_plan(workload, stages);
  expect_valid(plan);
  EXPECT_TRUE(plan.program.groups().empty());
  EXPECT_EQ(find(plan.program, DeviceId{0}, "optimizer s0").size(), 1u);
  EXPECT_THAT(find(plan.program, DeviceId{0}, "optimizer s2"), IsEmpty());
}

TEST(Lower, OptimizerStepsReadAndWriteParametersGradientsAndState) {
  // 1000 bytes at 1 GB/s: sgd moves 2 arrays both ways (4 us), adam 4 (8 us).
  const ComputationGraph graph = test::chain_graph(1, {.parameters = Bytes{1000}});
  const auto time_of = [&](Optimizer optimizer, const Device& device) {
    const TinyPlan plan = make_plan(test::tiny_workload(graph, test::ideal_cluster(1, device),
                                                        {.mini_batch = 1, .optimizer = optimizer}),
                                    test::stage_per_operator(graph));
    return plan.program.at(find_one(plan.program, DeviceId{0}, "optimizer s0")).duration.count();
  };
  EXPECT_DOUBLE_EQ(time_of(Optimizer::Sgd, test::round_device()), 4e-6);
  EXPECT_DOUBLE_EQ(time_of(Optimizer::Adam, test::round_device()), 8e-6);
  EXPECT_EQ(time_of(Optimizer::Sgd, Device{}), 0.0);  // unknown bandwidth
}

TEST(Lower, WithoutAnOptimizerOrParametersThereIsNoStep) {
  const ComputationGraph graph = test::chain_graph(1, {.parameters = Bytes{1000}});
  const TinyPlan none =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(1),
                                    {.mini_batch = 1, .optimizer = Optimizer::None}),
                test::stage_per_operator(graph));
  EXPECT_THAT(find(none.program, DeviceId{0}, "optimizer s0"), IsEmpty());
  expect_valid(none);
  EXPECT_THAT(find(plan_of(test::chain_graph(1), 1).program, DeviceId{0}, "optimizer s0"),
              IsEmpty());
}

TEST(Lower, ElementsHaveTheSizeOfThePrecision) {
  const ComputationGraph graph = test::chain_graph(2);
  const TinyPlan plan =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(2),
                                    {.mini_batch = 1, .precision = Precision::Bf16}),
                test::stage_per_operator(graph));
  EXPECT_EQ(plan.program.at(find_one(plan.program, DeviceId{0}, "send F0[0,1)>d1")).element_bytes,
            2);
}

TEST(Lower, OneMicroBatchAndFewerThanTheDepthWork) {
  for (const std::int32_t samples : {1, 2, 3})
    for (const std::string schedule : {"1f1b", "gpipe", "kfkb"})
      expect_valid(plan_of(test::chain_graph(5), samples, {.schedule = schedule}));
}

}  // namespace
}  // namespace pipegraph
