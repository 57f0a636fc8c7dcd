// Plans whose attention is cuDNN's.
#include "models/layers.h"
#include "tests/exec/cuda/cudnn_ground.h"
#include "tests/exec/cuda/gpu_devices.h"

namespace pipegraph::test {
namespace {

/// Two blocks of attention, one causal, of sizes that cuDNN takes.
ComputationGraph attention_network(Precision precision) {
  GraphBuilder b("attention_network", precision, SourcePosition{.file = "cudnn_plans_test"});
  const Tensor x = feature_input(b, "x", 8, 16);
  const Tensor placed = position_embedding(b, "positions", x);
  const Tensor first = attention(b, "first", placed, {.heads = 2, .causal = true});
  const Tensor middle = add(b, "middle", placed, first);
  const Tensor second = attention(b, "second", layer_norm(b, "norm", middle), {.heads = 1});
  const Tensor narrow = linear(b, "narrow", second, {.columns = 8});
  cross_entropy(b, "loss", narrow);
  return std::move(b).finish();
}

PlanSketch two_stages(PlanSketch sketch = {}) {
  sketch.precision = Precision::Bf16;
  return cut_before(attention_network(Precision::Bf16), {"middle"}, sketch);
}

class CudnnTraining : public WithCudnn<CudaTraining> {
 protected:
  static Outcome by_cudnn(const PlanSketch& sketch, StepIssue issue = StepIssue::Instructions) {
    return gradients_of(attention_network(Precision::Bf16), sketch,
                        on_gpus({.issue = issue, .attention = GpuAttention::Cudnn}));
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, CudnnTraining, gpu_paces(), gpu_pace_name);

// As for our own kernels (cuda_precision_test.cpp): the longest path from a weight to its gradient
// stores no more tensors, for scores are not stored.
constexpr double k_bf16 = 8.0 / 512.0;

TEST_P(CudnnTraining, GivesTheGradientsOfFp32ToItsRounding) {
  PlanSketch fp32 = two_stages();
  fp32.precision = Precision::Fp32;
  expect_near(by_cudnn(two_stages()),
              gradients_of(attention_network(Precision::Fp32), fp32, on_gpus()), k_bf16, "cuDNN");
}

// Parts of the arena that nobody uses any more are overwritten: nothing is read too late.
TEST_P(CudnnTraining, GivesTheSameWhereDeadMemoryIsPoisoned) {
  TrainingRunOptions options = on_gpus({.attention = GpuAttention::Cudnn});
  const ComputationGraph graph = attention_network(Precision::Bf16);
  options.memory = MemoryUse::Poison;
  const Outcome poisoned = gradients_of(graph, two_stages(), options);
  options.memory = MemoryUse::Tight;
  const Outcome tight = gradients_of(graph, two_stages(), options);
#ifdef PIPEGRAPH_CUDA_STAND_IN  // GPUs add up gradients of queries in any order
  expect_same_bits(poisoned, tight, "memory");
  expect_same_bits(by_cudnn(recomputed(two_stages())), tight, "recomputed");
#else
  expect_near(poisoned, tight, k_bf16, "memory");
#endif
}

TEST_P(CudnnTraining, GivesTheSameInMicroBatchesOfOddSize) {
  const Outcome three = by_cudnn(two_stages({.mini_batch = 9, .micro_batch = 3}));
  const Outcome one = by_cudnn(two_stages({.mini_batch = 9, .micro_batch = 1}));
  expect_near(three, one, k_bf16, "micro-batches");
}

TEST_P(CudnnTraining, TrainsTheSameInACapturedGraph) {
  const ComputationGraph graph = attention_network(Precision::Bf16);
  const auto plan = plan_from(graph, two_stages({.optimizer = Optimizer::Adam}));
  const auto losses = [&](StepIssue issue) {
    TrainingRun run(plan->workload, plan->stages, plan->program,
                    on_gpus({.issue = issue, .attention = GpuAttention::Cudnn}));
    return run.train(6);
  };
  const std::vector<double> instructions = losses(StepIssue::Instructions);
  const std::vector<double> graphs = losses(StepIssue::Graph);
  for (std::size_t step = 0; step < instructions.size(); ++step)
#ifdef PIPEGRAPH_CUDA_STAND_IN
    EXPECT_EQ(graphs[step], instructions[step]) << step;
#else
    EXPECT_NEAR(graphs[step], instructions[step], k_bf16 * instructions[step]) << step;
#endif
}

// cuDNN's workspace comes on top of what the plan needs, as cuBLAS's does.
TEST_P(CudnnTraining, TakesTheMemoryOfThePlanAndAWorkspace) {
  const ComputationGraph graph = attention_network(Precision::Bf16);
  const auto plan = plan_from(graph, two_stages({.optimizer = Optimizer::Sgd}));
  const auto taken = [&](GpuAttention attention) {
    TrainingRunOptions options = on_gpus({.attention = attention});
    options.memory = MemoryUse::Tight;
    TrainingRun run(plan->workload, plan->stages, plan->program, options);
    run.train(1);
    return static_cast<const CudaEngine&>(*run.devices().engines()[0]).memory_use();
  };
  const DeviceMemoryUse own = taken(GpuAttention::Own), cudnn = taken(GpuAttention::Cudnn);
  EXPECT_EQ(cudnn.predicted, own.predicted);
  EXPECT_GT(cudnn.beside, own.beside);
  EXPECT_EQ(cudnn.high_water, cudnn.predicted + cudnn.beside);
}

}  // namespace
}  // namespace pipegraph::test
