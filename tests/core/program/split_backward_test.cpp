// What the lowering and the memory make of backwards in two parts, and of several stages of a chain
// that take turns on a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/memory.h"
#include "core/program/text.h"
#include "tests/core/program/plans.h"
#include "tests/support/golden.h"

namespace pipegraph {
namespace {

using test::find_one;
using test::make_plan;
using test::plan_of;
using test::TinyPlan;
using test::waits_of;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t k_unit = 1024;  ///< bytes of a tensor per sample

void expect_valid(const TinyPlan& plan) {
  const ValidationReport report = plan.validated();
  EXPECT_EQ(report.verdict, Verdict::Strict) << report.cycle_text;
  EXPECT_THAT(report.problems, IsEmpty());
}

std::vector<std::uint64_t> peaks(const TinyPlan& plan) {
  std::vector<std::uint64_t> bytes;
  for (const DeviceMemory& device : plan_memory(plan.workload, plan.stages, plan.program).devices)
    bytes.push_back(device.peak.count);
  return bytes;
}

/// Six stages of a chain on devices 0 1 2 0 1 2.
TinyPlan interleaved(std::int32_t mini_batch) {
  const ComputationGraph graph = test::chain_graph(6);
  std::vector<Stage> stages = test::stage_per_operator(graph);
  for (std::size_t s = 3; s < 6; ++s) stages[s].devices = stages[s - 3].devices;
  const Workload workload =
      test::tiny_workload(graph, test::ideal_cluster(3), {.mini_batch = mini_batch});
  return make_plan(workload, stages, {.schedule = "interleaved_1f1b"});
}

TEST(SplitBackward, ProgramOfAChainIsAsReviewed) {
  const TinyPlan plan =
      plan_of(test::chain_graph(3, {.parameters = Bytes{100}}), 3, {.schedule = "zb1p"});
  expect_valid(plan);
  expect_golden("program/chain_3x3_zb1p.txt", to_text(plan.program));
}

TEST(Interleaved, ProgramOfAChainIsAsReviewed) {
  const TinyPlan plan = interleaved(2);
  expect_valid(plan);
  expect_golden("program/chain_6_on_3_interleaved_1f1b.txt", to_text(plan.program));
}

TEST(SplitBackward, GradientsLeaveAfterTheInputsPartAndTheWeightsWaitForIt) {
  const TinyPlan plan = plan_of(test::chain_graph(2), 3, {.schedule = "zb1p"});
  const Program& program = plan.program;
  const DeviceId sink{1};
  EXPECT_THAT(waits_of(program, find_one(program, sink, "send B1[1,2)>d0")),
              ElementsAre("I1[1,2)"));
  EXPECT_THAT(waits_of(program, find_one(program, sink, "W1[1,2)")), ElementsAre("I1[1,2)"));
  EXPECT_THAT(waits_of(program, find_one(program, DeviceId{0}, "I0[1,2)")),
              ElementsAre("F0[1,2)", "recv B1[1,2)<d1"));
}

TEST(SplitBackward, PassesTakeTheTimesOfTheirParts) {
  // 1 s forward, 2 s backward: halves with parameters, all for the inputs without.
  const auto duration = [](std::uint64_t parameters, std::string_view token) {
    const TinyPlan plan =
        plan_of(test::chain_graph(1, {.parameters = Bytes{parameters}}), 3, {.schedule = "zb1p"});
    return plan.program.at(find_one(plan.program, DeviceId{0}, token)).duration;
  };
  EXPECT_EQ(duration(4, "I0[0,1)"), Seconds{1});
  EXPECT_EQ(duration(4, "W0[0,1)"), Seconds{1});
  EXPECT_EQ(duration(0, "I0[0,1)"), Seconds{2});
  EXPECT_EQ(duration(0, "W0[0,1)"), Seconds{0});
}

TEST(SplitBackward, ReductionsAndStepsWaitForTheLastWeightsPart) {
  const ComputationGraph graph = test::chain_graph(2, {.parameters = Bytes{100}});
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(3), {.mini_batch = 4});
  std::vector<Stage> stages = test::stage_per_operator(graph, 2);
  stages[1].devices = {DeviceId{1}, DeviceId{2}};
  const TinyPlan plan = make_plan(workload, stages, {.schedule = "zb1p"});
  expect_valid(plan);
  for (const int d : {1, 2})
    EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{d}, "all_reduce s1")),
                ElementsAre(d == 1 ? "W1[2,3)" : "W1[3,4)"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "optimizer s0")),
              ElementsAre("W0[2,4)"));
}

TEST(SplitBackward, KeepsActivationsAndGradientsUntilTheWeightsPart) {
  // Two stages, two samples in flight on each. Stage 0 keeps two outputs, and the sink's gradients
  // of both may have come: 4. The sink is fullest in W[m - 1], which follows I[m]: input and output
  // of m - 1 and m; the inputs of m + 1 and, since stage 0 forwards it after I[m], of m + 2; and
  // the gradients of m - 1 and m in buffers, which F[m + 1] and F[m + 2] will tell to have gone: 8.
  EXPECT_THAT(peaks(plan_of(test::chain_graph(2), 8, {.schedule = "zb1p"})),
              ElementsAre(4 * k_unit, 8 * k_unit));
}

TEST(SplitBackward, KeepsGradientsInsideTheStageForTheWeights) {
  // s0 -> s1 in one stage, outputs of a unit each. W of s0 needs the gradient of its output, which
  // I of s1 makes; nobody inside reads s1. With three in flight all three wait for their W: per
  // sample two activations and, with parameters, a gradient.
  const auto peak = [](Bytes parameters, std::string schedule) {
    const ComputationGraph graph = test::chain_graph(2, {.parameters = parameters});
    Stage stage = test::stage_per_operator(graph)[0];
    stage.operators = {OperatorId{0}, OperatorId{1}};
    stage.in_flight = 3;
    const Workload workload = test::tiny_workload(graph, test::ideal_cluster(1), {.mini_batch = 3});
    return peaks(make_plan(workload, {stage}, {.schedule = std::move(schedule)}))[0];
  };
  const std::uint64_t stored = 2 * 2 * 4;  // parameters and gradients of both operators
  EXPECT_EQ(peak(Bytes{4}, "zb1p"), 3 * (2 + 1) * k_unit + stored);
  EXPECT_EQ(peak(Bytes{4}, "1f1b"), 3 * 2 * k_unit + stored);
  EXPECT_EQ(peak({}, "zb1p"), 3 * 2 * k_unit);
}

TEST(SplitBackward, MemoryDoesNotGrowWithTheMiniBatch) {
  for (const ComputationGraph& graph : {test::chain_graph(5), test::fork_join_graph(3, 2)})
    EXPECT_EQ(peaks(plan_of(graph, 24, {.schedule = "zb1p"})),
              peaks(plan_of(graph, 96, {.schedule = "zb1p"})));
}

TEST(Interleaved, MemoryDoesNotGrowWithTheMiniBatch) {
  EXPECT_EQ(peaks(interleaved(12)), peaks(interleaved(48)));
}

TEST(Interleaved, StagesOfADeviceMeetOthersInBothDirections) {
  // Stage 2 on device 2 hands over to stage 3 on device 0, and gets its gradients from there.
  const TinyPlan plan = interleaved(2);
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{0}, "F3[1,2)")),
              ElementsAre("recv F2[1,2)<d2"));
  EXPECT_THAT(waits_of(plan.program, find_one(plan.program, DeviceId{2}, "B2[1,2)")),
              ElementsAre("F2[1,2)", "recv B3[1,2)<d0"));
}

}  // namespace
}  // namespace pipegraph
