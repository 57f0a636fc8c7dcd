// Peaks worked out by hand. Tiny graphs: every tensor has 1024 bytes per sample (a unit), stages
// keep what their operators read and make.
#include "core/program/memory.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/program/text.h"
#include "tests/core/program/plans.h"

namespace pipegraph {
namespace {

using test::make_plan;
using test::plan_of;
using test::TinyPlan;
using testing::HasSubstr;

constexpr std::uint64_t k_unit = 1024;

MemoryReport memory_of(const TinyPlan& plan) {
  return plan_memory(plan.workload, plan.stages, plan.program);
}
std::vector<std::uint64_t> peaks(const TinyPlan& plan) {
  std::vector<std::uint64_t> bytes;
  for (const DeviceMemory& device : memory_of(plan).devices) bytes.push_back(device.peak.count);
  return bytes;
}
std::uint64_t part(const DeviceMemory& memory, MemoryPart which) {
  return memory.peak_parts[static_cast<std::size_t>(which)].count;
}

/// All operators in one stage on one device.
TinyPlan one_stage(const ComputationGraph& graph, std::int32_t mini_batch,
                   std::vector<OperatorId> recompute = {}, std::string schedule = "gpipe") {
  const Workload workload =
      test::tiny_workload(graph, test::ideal_cluster(1), {.mini_batch = mini_batch});
  Stage stage = test::stage_per_operator(graph)[0];
  stage.operators.clear();
  for (std::size_t op = 0; op < graph.size(); ++op)
    stage.operators.push_back(make_id<OperatorId>(op));
  stage.recompute = std::move(recompute);
  return make_plan(workload, {stage}, {.schedule = std::move(schedule)});
}

TEST(Memory, ParametersGradientsAndStateStandOnce) {
  // 100 bytes of parameters and as many gradients; state: sgd 0, momentum 1, adam 2 times.
  const ComputationGraph graph =
      test::chain_graph(1, {.output = Bytes{0}, .parameters = Bytes{100}});
  const auto peak = [&](Optimizer optimizer) {
    return peaks(make_plan(test::tiny_workload(graph, test::ideal_cluster(1),
                                               {.mini_batch = 7, .optimizer = optimizer}),
                           test::stage_per_operator(graph)))[0];
  };
  EXPECT_EQ(peak(Optimizer::None), 200u);
  EXPECT_EQ(peak(Optimizer::Sgd), 200u);
  EXPECT_EQ(peak(Optimizer::Momentum), 300u);
  EXPECT_EQ(peak(Optimizer::Adam), 400u);
}

// What a run has: weights of 4 bytes and their copy of 2, gradients and state of 4.
TEST(Memory, ParametersOfBf16CountAsTheyAreTrained) {
  const ComputationGraph graph =
      test::chain_graph(1, {.output = Bytes{0}, .parameters = Bytes{100}});  // 50 parameters
  const auto memory = [&](Optimizer optimizer) {
    return memory_of(make_plan(test::tiny_workload(graph, test::ideal_cluster(1),
                                                   {.mini_batch = 7,
                                                    .precision = Precision::Bf16,
                                                    .optimizer = optimizer}),
                               test::stage_per_operator(graph)))
        .devices[0];
  };
  EXPECT_EQ(memory(Optimizer::Sgd).parameters, Bytes{50 * (4 + 2)});
  EXPECT_EQ(memory(Optimizer::Sgd).gradients, Bytes{50 * 4});
  EXPECT_EQ(memory(Optimizer::Sgd).peak, Bytes{50 * 10});
  EXPECT_EQ(memory(Optimizer::Momentum).peak, Bytes{50 * 14});
  EXPECT_EQ(memory(Optimizer::Adam).optimizer_state, Bytes{50 * 8});
  EXPECT_EQ(memory(Optimizer::Adam).peak, Bytes{50 * 18});
}

TEST(Memory, OneFlightOfOneForwardOneBackwardIsOneMicroBatch) {
  const ComputationGraph graph = test::chain_graph(1);
  EXPECT_EQ(peaks(one_stage(graph, 5, {}, "1f1b")), (std::vector{1 * k_unit}));
  EXPECT_EQ(peaks(one_stage(graph, 5, {}, "gpipe")), (std::vector{5 * k_unit}));
}

TEST(Memory, GivenSavedBytesReplaceTensors) {
  const ComputationGraph graph = test::chain_graph(1, {.saved = Bytes{100}});
  EXPECT_EQ(peaks(one_stage(graph, 5)), (std::vector<std::uint64_t>{500}));
}

TEST(Memory, ATensorThatSeveralOperatorsKeepStandsOnce) {
  // fork, left, right, join: four tensors, although fork's is kept by three operators.
  EXPECT_EQ(peaks(one_stage(test::diamond_graph(), 3)), (std::vector{3 * 4 * k_unit}));
}

TEST(Memory, RecomputationKeepsTheSegmentsInputsAndOneMicroBatchOfTheRest) {
  // s0 -> s1 -> s2 with s1 and s2 recomputed: 3 times s0's tensor, once the other two.
  const ComputationGraph graph = test::chain_graph(3);
  const TinyPlan plan = one_stage(graph, 3, {OperatorId{1}, OperatorId{2}});
  EXPECT_EQ(peaks(plan), (std::vector{(3 + 2) * k_unit}));
  EXPECT_EQ(part(memory_of(plan).devices[0], MemoryPart::Workspace), 2 * k_unit);
  EXPECT_EQ(peaks(one_stage(graph, 3)), (std::vector{3 * 3 * k_unit}));
}

TEST(Memory, RecomputedOutputsAreSentFromABuffer) {
  // s0 recomputed, s1: stage 0 keeps nothing; GPipe sends one tensor per forward, and knows that a
  // send has ended when a gradient comes back. Those of all four forwards may wait: 4 buffers, a
  // workspace of 1 in the forward. In the first backward: 4 buffers are known to have gone (the
  // gradient was made after the last forward of stage 1), gradients may all be there: 4 slots + 1.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> stages = test::stage_per_operator(graph);
  stages[0].recompute = {OperatorId{0}};
  const TinyPlan plan =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 4}), stages,
                {.schedule = "gpipe"});
  EXPECT_EQ(peaks(plan)[0], (4 + 4) * k_unit);
}

TEST(Memory, PeaksOfGpipeAtTheEndsOfAChain) {
  // Stage 0, M = 8: 8 outputs kept; by the first backward all 8 gradients may have come: 16.
  // Last stage: 8 inputs in their slots and 8 outputs; its first backward adds the buffer of the
  // gradient it sends; every later one has two tensors less and one buffer more: 17.
  const TinyPlan plan = plan_of(test::chain_graph(4), 8, {.schedule = "gpipe"});
  EXPECT_EQ(peaks(plan)[0], 16 * k_unit);
  EXPECT_EQ(peaks(plan)[3], 17 * k_unit);
}

TEST(Memory, PeaksOfOneForwardOneBackwardAtTheEndsOfAChain) {
  // Stage 0 has 4 outputs in flight; after its last forward the gradients of these 4 may all come
  // before it goes on: 8. Last stage, during B[m]: input and output of m; the input of m + 1 may
  // have come (stage 2 forwards m + 1 after it has the gradient of m - 1); the gradients of m and,
  // not known to have arrived until F[m + 1] (which tells of m - 1), of m - 1 are in buffers: 5.
  const TinyPlan plan = plan_of(test::chain_graph(4), 8);
  EXPECT_EQ(peaks(plan)[0], 8 * k_unit);
  EXPECT_EQ(peaks(plan)[3], 5 * k_unit);
  const DeviceMemory last = memory_of(plan).devices[3];
  EXPECT_EQ(part(last, MemoryPart::Activations), 1 * k_unit);
  EXPECT_EQ(part(last, MemoryPart::ReceiveSlots), 2 * k_unit);
  EXPECT_EQ(part(last, MemoryPart::SendBuffers), 2 * k_unit);
  EXPECT_EQ(plan.program.at(last.peak_at).kind, InstructionKind::Backward);
}

TEST(Memory, OfOneForwardOneBackwardDoesNotGrowWithTheMiniBatch) {
  const auto same = [](const ComputationGraph& graph, const test::PlanOptions& options) {
    EXPECT_EQ(peaks(plan_of(graph, 24, options)), peaks(plan_of(graph, 96, options)));
  };
  same(test::chain_graph(5), {});
  same(test::fork_join_graph(3, 2), {});
  same(test::fork_join_graph(3, 2), {.kind = PlanKind::Sequential});
  same(test::crossing_skips_graph(), {.kind = PlanKind::Sequential, .skip = SkipTransfer::Relay});
  same(test::chain_graph(5), {.lowering = {.overlap = false}});
  same(test::chain_graph(5), {.lowering = {.receive_slots = 2}});
  EXPECT_LT(peaks(plan_of(test::chain_graph(5), 24, {.schedule = "gpipe"})),
            peaks(plan_of(test::chain_graph(5), 96, {.schedule = "gpipe"})));
}

TEST(Memory, OfSkippedTensorsWithoutGradientIsBoundedByTheWayRound) {
  // Labels go from s0 straight to s3 and nothing comes back that way; but s0 hears of s3 through
  // the stages between.
  std::vector<Operator> operators = test::chain_graph(4).operators();
  operators.push_back(test::tiny_operator("labels", {}));
  operators.back().output_needs_gradient = false;
  operators[3].inputs.push_back(OperatorId{4});
  const ComputationGraph graph("labels", operators);
  const auto peak = [&](std::int32_t mini_batch) {
    std::vector<Stage> stages = test::stage_per_operator(graph);
    stages.pop_back();
    stages[0].operators.push_back(OperatorId{4});
    return peaks(make_plan(
        test::tiny_workload(graph, test::ideal_cluster(4), {.mini_batch = mini_batch}), stages));
  };
  EXPECT_EQ(peak(24), peak(96));
}

TEST(Memory, ASendThatMayOutliveTheBackwardHasABuffer) {
  // Nothing comes back to the first stage, so that its backward may end before its send does:
  // F[0] F[1] B[0] B[1] keep 2 outputs, and 2 messages may still be under way.
  std::vector<Operator> operators = test::chain_graph(2).operators();
  operators[0].output_needs_gradient = false;
  EXPECT_EQ(peaks(plan_of(ComputationGraph("inputs", operators), 2))[0], (2 + 2) * k_unit);
  // With a gradient the backward waits for it: 2 outputs and 2 gradients.
  const DeviceMemory first = memory_of(plan_of(test::chain_graph(2), 2)).devices[0];
  EXPECT_EQ(part(first, MemoryPart::SendBuffers), 0u);
  EXPECT_EQ(first.peak.count, (2 + 2) * k_unit);
}

TEST(Memory, WithoutOverlapSendsEndBeforeTheNextPass) {
  // Last stage of two, GPipe, 4 samples: 4 inputs and 4 outputs, and the buffer of one gradient
  // only, since the send stands before the next backward in the one queue.
  const TinyPlan plan =
      plan_of(test::chain_graph(2), 4, {.schedule = "gpipe", .lowering = {.overlap = false}});
  EXPECT_EQ(peaks(plan)[1], (4 + 4 + 1) * k_unit);
  // Stage 0: 4 outputs, and the gradient that stands before its backward.
  EXPECT_EQ(peaks(plan)[0], (4 + 1) * k_unit);
}

TEST(Memory, ReplicasKeepTheirShareAndAllParameters) {
  // Micro-batch 5 on 2 replicas: 2 and 3 samples.
  const ComputationGraph graph = test::chain_graph(1, {.parameters = Bytes{100}});
  const TinyPlan plan =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 5}),
                test::replicated(test::stage_per_operator(graph, 5), 2));
  EXPECT_EQ(peaks(plan), (std::vector{2 * k_unit + 200, 3 * k_unit + 200}));
}

TEST(Memory, TiedParametersStandOncePerDevice) {
  std::vector<Operator> operators =
      test::chain_graph(3, {.output = Bytes{0}, .parameters = Bytes{100}}).operators();
  operators[2].tied_to = OperatorId{0};
  const ComputationGraph graph("tied", operators);
  const Workload workload = test::tiny_workload(graph, test::ideal_cluster(3), {.mini_batch = 1});
  std::vector<Stage> stages = test::stage_per_operator(graph);
  EXPECT_EQ(peaks(make_plan(workload, stages)), (std::vector<std::uint64_t>{200, 200, 200}));
  stages[2].devices = {DeviceId{0}};  // owner and user on one device
  EXPECT_EQ(peaks(make_plan(workload, stages)), (std::vector<std::uint64_t>{200, 200, 0}));
}

TEST(Memory, StagesOnOneDeviceShareTheTensorBetweenThem) {
  // F0 F1 B1 B0: in B1 the tensors of both stages, each once, and the gradient it leaves for B0.
  const ComputationGraph graph = test::chain_graph(2);
  std::vector<Stage> stages = test::stage_per_operator(graph);
  stages[1].devices = {DeviceId{0}};
  const TinyPlan plan =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(1), {.mini_batch = 1}), stages);
  EXPECT_EQ(peaks(plan), (std::vector{3 * k_unit}));
}

TEST(Memory, WhatIsReservedIsNotAvailable) {
  Device device = test::round_device();
  device.memory = Bytes{4 * k_unit};
  device.reserved = Bytes{k_unit};
  const ComputationGraph graph = test::chain_graph(1);
  const auto report = [&](std::int32_t samples) {
    return memory_of(make_plan(
        test::tiny_workload(graph, test::ideal_cluster(1, device), {.mini_batch = samples}),
        test::stage_per_operator(graph), {.schedule = "gpipe"}));
  };
  EXPECT_TRUE(report(3).fits());
  EXPECT_EQ(report(3).problem, "");
  EXPECT_FALSE(report(4).fits());
  EXPECT_EQ(report(4).problem, "stage 's0' on device d0 needs 4 KiB, 3 KiB available");
}

TEST(Memory, TheFullestDeviceIsNamedNotTheFirst) {
  // Four samples in two stages, none of which fits into one unit: s0 keeps its four outputs, s1 its
  // four inputs as well.
  std::vector<Device> devices(2, test::round_device());
  for (Device& device : devices) device.memory = Bytes{k_unit};
  const ComputationGraph graph = test::chain_graph(2);
  const auto problem = [&](const std::vector<Device>& cluster) {
    return memory_of(
               make_plan(test::tiny_workload(graph, test::ideal_cluster(2).with_devices(cluster),
                                             {.mini_batch = 4}),
                         test::stage_per_operator(graph), {.schedule = "gpipe"}))
        .problem;
  };
  EXPECT_THAT(problem(devices), HasSubstr("stage 's1' on device d1 needs"));
  devices[1].memory = Bytes{1000 * k_unit};
  EXPECT_THAT(problem(devices), HasSubstr("stage 's0' on device d0 needs"));
}

TEST(Memory, LifetimesNameWhatLivesFromWhenToWhen) {
  const TinyPlan plan = plan_of(test::chain_graph(2), 1);
  const MemoryAnalysis memory(plan.workload, plan.stages, plan.program);
  std::vector<std::string> texts;
  for (const Lifetime& l : memory.lifetimes(DeviceId{1}))
    texts.push_back(fmt::format("{} {} from {} to {}", to_text(l.part), l.bytes.count,
                                to_text(plan.program.at(l.first)),
                                to_text(plan.program.at(l.last))));
  EXPECT_THAT(texts, testing::ElementsAre("receive_slots 1024 from recv F0[0,1)<d0 to B1[0,1)",
                                          "activations 1024 from F1[0,1) to B1[0,1)",
                                          "send_buffers 1024 from B1[0,1) to send B1[0,1)>d0"));
}

TEST(Memory, ADeviceWithoutStagesNeedsNothing) {
  const ComputationGraph graph = test::chain_graph(1);
  const TinyPlan plan =
      make_plan(test::tiny_workload(graph, test::ideal_cluster(2), {.mini_batch = 1}),
                test::stage_per_operator(graph));
  EXPECT_EQ(peaks(plan)[1], 0u);
  EXPECT_FALSE(memory_of(plan).devices[1].peak_at.valid());
}

}  // namespace
}  // namespace pipegraph
