// Plans that are trained by CUDA engines compute what the cpu computes: on the stand-in at either
// pace of the device, and on GPUs.
#include "tests/exec/cuda/cut_networks.h"
#include "tests/exec/cuda/gpu_devices.h"

namespace pipegraph::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Paces, CudaTraining, gpu_paces(), gpu_pace_name);

/// Gradients of one step on GPUs against those of the cpu with the same plan.
void expect_as_on_cpu(const ComputationGraph& graph, const PlanSketch& sketch,
                      const std::string& what) {
  expect_near(gradients_of(graph, sketch, on_gpus()), gradients_of(graph, sketch), 1e-5, what);
}

TEST_P(CudaTraining, GivesTheGradientsOfTheCpuForEverySchedule) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p"})
      expect_as_on_cpu(graph, cut_before(graph, network.cuts, {.schedule = schedule}),
                       network.name + " " + schedule);
  }
}

TEST_P(CudaTraining, GivesTheGradientsOfTheCpuForChainsAndRecomputation) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    PlanSketch sketch = cut_before(graph, network.cuts, {.kind = PlanKind::Sequential});
    expect_as_on_cpu(graph, sketch, network.name + " chain");
    expect_as_on_cpu(graph, recomputed(sketch), network.name + " recomputed");
  }
}

TEST_P(CudaTraining, GivesTheGradientsOfTheCpuWithReplicasAndRaggedEnds) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    PlanSketch sketch = cut_before(graph, network.cuts, {.mini_batch = 11, .micro_batch = 4});
    std::vector<int> replicas;
    for (std::size_t s = 0; s < sketch.stages.size(); ++s) replicas.push_back(s % 2 == 0 ? 2 : 1);
    expect_as_on_cpu(graph, replicated(sketch, replicas), network.name);
  }
}

TEST_P(CudaTraining, HasTheSameBitsHoweverThePlanIsCut) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    expect_same_bits(gradients_of(graph, cut_before(graph, network.cuts), on_gpus()),
                     gradients_of(graph, on_one_device(graph), on_gpus()), network.name);
  }
}

/// Fifty steps of the plan, both ways.
void expect_losses_of_cpu(const ComputationGraph& graph, const PlanSketch& sketch) {
  const auto plan = plan_from(graph, sketch);
  TrainingRun cpu(plan->workload, plan->stages, plan->program);
  TrainingRun cuda(plan->workload, plan->stages, plan->program, on_gpus());
  const std::vector<double> expected = cpu.train(50);
  const std::vector<double> actual = cuda.train(50);
  for (std::size_t step = 0; step < expected.size(); ++step)
    ASSERT_NEAR(actual[step], expected[step], 1e-4 * expected[step]) << "step " << step;
}

TEST_P(CudaTraining, HasTheLossesOfTheCpuOverFiftyStepsOfTwoBranches) {
  expect_losses_of_cpu(diamond_network(),
                       replicated(cut_before(diamond_network(), {"left", "right", "sum"},
                                             {.optimizer = Optimizer::Momentum}),
                                  {2, 1, 1, 2}));
}

TEST_P(CudaTraining, HasTheLossesOfTheCpuOverFiftyStepsOfATransformer) {
  expect_losses_of_cpu(transformer_network(),
                       cut_before(transformer_network(), {"attention", "add", "narrow"},
                                  {.optimizer = Optimizer::Adam}));
}

}  // namespace
}  // namespace pipegraph::test
