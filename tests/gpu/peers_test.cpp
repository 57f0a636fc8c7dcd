// Plans on several GPUs: messages by copies, by NCCL and in whole steps bring the same numbers,
// which are the cpu's.
#include "tests/exec/cuda/gpu_devices.h"
#include "tests/exec/numerics/small_networks.h"

namespace pipegraph::test {
namespace {

using TwoGpus = OnGpus<testing::Test, 2>;
using FourGpus = OnGpus<testing::Test, 4>;

/// The first is issued by instructions whatever is asked for, the second captures.
Outcome third_step(const ComputationGraph& graph, const PlanSketch& sketch, StepIssue issue) {
  const auto plan = plan_from(graph, sketch);
  TrainingRun run(plan->workload, plan->stages, plan->program, on_gpus({.issue = issue}));
  run.train(2);
  const std::vector<double> losses = run.step();
  return {losses, run.gradients()};
}

void expect_all_alike(const ComputationGraph& graph, const PlanSketch& sketch) {
  const Outcome copied = gradients_of(graph, sketch, on_gpus());
  expect_near(copied, gradients_of(graph, sketch), 1e-5, "copies and cpu");
  const NcclSettings one{.communicators = NcclCommunicators::One};
  expect_same_bits(gradients_of(graph, sketch, on_gpus({.wrap = {}, .nccl = NcclSettings{}})),
                   copied, "a communicator for each pair");
  expect_same_bits(gradients_of(graph, sketch, on_gpus({.wrap = {}, .nccl = one})), copied,
                   "one communicator");
  const Outcome third = third_step(graph, sketch, StepIssue::Instructions);
  expect_same_bits(third_step(graph, sketch, StepIssue::Steps), third, "whole steps");
  expect_same_bits(third_step(graph, sketch, StepIssue::Graph), third, "a graph of all GPUs");
}

TEST_F(TwoGpus, TrainAChain) {
  expect_all_alike(dense_chain(), cut_before(dense_chain(), {"fc2"}));
}

TEST_F(TwoGpus, TrainReplicas) {
  expect_all_alike(dense_chain(), replicated(on_one_device(dense_chain()), {2}));
}

TEST_F(FourGpus, TrainTwoBranches) {
  expect_all_alike(diamond_network(), cut_before(diamond_network(), {"left", "right", "sum"}));
}

}  // namespace
}  // namespace pipegraph::test
