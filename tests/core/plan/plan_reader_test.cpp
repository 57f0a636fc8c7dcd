// Plans written by hand: defaults, overrides and refusals.
#include "core/plan/plan_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/plan/tiny_plans.h"

namespace pipegraph {
namespace {

using test::plan_error;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

PlanReading read(const std::string& text) {
  return read_plan(YamlValue::parse(text, "f"), test::tiny_workload());
}

TEST(PlanReader, FillsInWhatAManualPlanLeavesOut) {
  const Plan plan = read(
                        "micro_batch: 4\n"
                        "stages:\n"
                        "  - {operators: [\"a*\"]}\n"
                        "  - {operators: [\"b*\"]}\n")
                        .plan;
  EXPECT_EQ(plan.name, "manual");
  EXPECT_EQ(plan.planner, "manual");
  EXPECT_EQ(plan.kind, PlanKind::Graph);
  EXPECT_EQ(plan.schedule, "1f1b");
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[1].name, "s1");
  EXPECT_THAT(plan.stages[1].operators, ElementsAre(OperatorId{2}, OperatorId{3}));
  EXPECT_THAT(plan.stages[1].devices, ElementsAre(DeviceId{1}));
  EXPECT_EQ(plan.stages[1].micro_batch, 4);
  EXPECT_EQ(plan.stages[1].position.line, 4);
  EXPECT_THAT(plan.unused_devices, ElementsAre(DeviceId{2}, DeviceId{3}));
}

TEST(PlanReader, AStageOverridesThePlan) {
  const Plan plan = read(
                        "{name: p, kind: sequential, schedule: kfkb, micro_batch: 4, k: 2,\n"
                        " in_flight: 12, recompute: all, stages: [\n"
                        "  {name: x, operators: [a1, a2], devices: [3, 1]},\n"
                        "  {name: y, operators: [b1, b2], micro_batch: 2, k: 1, in_flight: 2,\n"
                        "   recompute: [b1]}]}")
                        .plan;
  EXPECT_EQ(plan.kind, PlanKind::Sequential);
  EXPECT_THAT(plan.stages[0].devices, ElementsAre(DeviceId{3}, DeviceId{1}));
  EXPECT_EQ(plan.stages[0].k, 2);
  EXPECT_EQ(plan.stages[0].in_flight, 12);
  EXPECT_EQ(plan.stages[0].recompute, plan.stages[0].operators);
  EXPECT_EQ(plan.stages[1].micro_batch, 2);
  EXPECT_EQ(plan.stages[1].k, 1);
  EXPECT_EQ(plan.stages[1].in_flight, 2);
  EXPECT_THAT(plan.stages[1].recompute, ElementsAre(OperatorId{2}));
}

TEST(PlanReader, AStageRecomputesWhatItHoldsOfThePlansList) {
  const auto stages = [](const char* first) {
    return read(std::string("{micro_batch: 4, recompute: [a1, \"b*\"], stages: [\n") + first +
                "  {operators: [\"b*\"]}]}")
        .plan.stages;
  };
  const auto shared = stages("  {operators: [\"a*\"]},\n");
  EXPECT_THAT(shared[0].recompute, ElementsAre(OperatorId{0}));
  EXPECT_THAT(shared[1].recompute, ElementsAre(OperatorId{2}, OperatorId{3}));
  EXPECT_TRUE(stages("  {operators: [\"a*\"], recompute: none},\n")[0].recompute.empty());
}

TEST(PlanReader, NotesWhatThePlanSaysToNoStage) {
  const PlanReading reading = read(
      "{micro_batch: 4, k: 1, stages: [{operators: [\"a*\"], micro_batch: 2, k: 1},\n"
      "  {operators: [\"b*\"], micro_batch: 2}]}");
  EXPECT_EQ(reading.plan.stages[0].micro_batch, 2);
  EXPECT_THAT(reading.notes, ElementsAre("'micro_batch' of the plan changes nothing: every stage "
                                         "has its own"));
}

TEST(PlanReader, ClipsAMicroBatchToTheMiniBatchWithANote) {
  const PlanReading reading = read("{micro_batch: 64, stages: [{operators: [\"*\"]}]}");
  EXPECT_EQ(reading.plan.stages[0].micro_batch, 16);
  EXPECT_THAT(reading.notes,
              ElementsAre("micro_batch 64 is clipped to the mini-batch of 16 samples"));
  EXPECT_THAT(read("{micro_batch: 16, stages: [{operators: [\"*\"]}]}").notes, IsEmpty());
}

TEST(PlanReader, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(plan_error("{micro_batch: 4, stages: []}"),
            "f:1:26: stages: the plan has no stages; expected at least one stage");
  EXPECT_EQ(plan_error("{stages: [{operators: [a1]}]}"),
            "f:1:11: stages[0]: neither the stage nor the plan has a micro_batch; expected "
            "micro_batch: a number of samples");
  EXPECT_EQ(plan_error("{micro_batch: 4, stages: [{operators: [a1], devices: [4]}]}"),
            "f:1:55: stages[0].devices[0]: the cluster has no device 4; expected a device from 0 "
            "to 3");
  EXPECT_EQ(plan_error("{micro_batch: 4, stages: [{operators: [a1], device: [0]}]}"),
            "f:1:45: stages[0].device: unknown key in a stage; expected 'devices' (or one of "
            "operators, name, micro_batch, k, in_flight, tensor_parallel, devices, recompute)");
  EXPECT_THAT(plan_error("{schedule: 1f1g, micro_batch: 4, stages: [{operators: [a1]}]}"),
              StartsWith("f:1:12: schedule: unknown value '1f1g'; expected '1f1b' (or one of "));
  EXPECT_EQ(
      plan_error("{micro_batch: 4, stages: [{name: s1, operators: [a1]}, {operators: [b1]}]}"),
      "f:1:56: stages[1]: stage 's1' is there twice; expected every name once");
  EXPECT_THAT(plan_error("{micro_batch: 4, kind: tree, stages: [{operators: [a1]}]}"),
              StartsWith("f:1:24: kind: unknown value 'tree'; expected one of graph, sequential"));
  EXPECT_THAT(plan_error("{micro_batch: 0, stages: [{operators: [a1]}]}"),
              StartsWith("f:1:15: micro_batch: 0 is out of range"));
  EXPECT_THAT(plan_error("{micro_batch: 4, receive_slots: 0, stages: [{operators: [a1]}]}"),
              StartsWith("f:1:33: receive_slots: 0 is out of range"));
  EXPECT_THAT(plan_error("{micro_batch: 4, recompute: some, stages: [{operators: [a1]}]}"),
              StartsWith("f:1:29: recompute: unknown value 'some'"));
  EXPECT_THAT(plan_error("[]"), StartsWith("f:1:1: is not a map; expected a plan"));
}

TEST(PlanReader, WantsDevicesWhereThereAreMoreStagesThanDevices) {
  std::string text = "{micro_batch: 4, stages: [{operators: [a1], devices: [0]}, ";
  text += "{operators: [a2]}, {operators: [b1]}, {operators: [b2]}, {operators: [b2]}]}";
  EXPECT_THAT(plan_error(text), StartsWith("f:1:117: stages[4]: the stage has no devices, and the "
                                           "cluster no device 4; expected 'devices'"));
}

}  // namespace
}  // namespace pipegraph
