// Training at the precisions of GPUs, on the stand-in and on GPUs.
#include <cmath>

#include "core/program/memory.h"
#include "tests/exec/cuda/cut_networks.h"
#include "tests/exec/cuda/gpu_devices.h"

namespace pipegraph::test {
namespace {

class CudaPrecision : public CudaTraining {
 protected:
  static PlanSketch cut(const CutNetwork& network, Precision precision, PlanSketch sketch = {}) {
    sketch.precision = precision;
    return cut_before(network.graph(precision), network.cuts, sketch);
  }
  static Outcome outcome(const CutNetwork& network, Precision precision) {
    return gradients_of(network.graph(precision), cut(network, precision), on_gpus());
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, CudaPrecision, gpu_paces(), gpu_pace_name);

// A number of 16 bits is off by up to 2^-9 of itself. The longest path from a weight to its
// gradient stores some sixteen tensors in turn, whose errors have either sign, so that about half
// is left. TF32 keeps three bits more of the mantissa, and rounds factors only.
constexpr double k_bf16 = 8.0 / 512.0;
constexpr double k_tf32 = k_bf16 / 8.0;

TEST_P(CudaPrecision, InBf16GivesTheGradientsOfFp32ToItsRounding) {
  for (const CutNetwork& network : cut_networks())
    expect_near(outcome(network, Precision::Bf16), outcome(network, Precision::Fp32), k_bf16,
                network.name);
}

TEST_P(CudaPrecision, InTf32GivesTheGradientsOfFp32ToItsRounding) {
  for (const CutNetwork& network : cut_networks()) {
    const Outcome fp32 = outcome(network, Precision::Fp32);
    const Outcome tensor = outcome(network, Precision::Fp32Tensor);
    expect_near(tensor, fp32, k_tf32, network.name);
#ifdef PIPEGRAPH_CUDA_STAND_IN  // cuBLAS need not use tensor cores for matrices so small
    EXPECT_NE(tensor.tensors, fp32.tensors) << network.name;
#endif
    expect_same_bits(outcome(network, Precision::Tf32), tensor, network.name);
  }
}

TEST_P(CudaPrecision, InBf16HasTheSameBitsHoweverThePlanIsCut) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph(Precision::Bf16);
    expect_same_bits(
        outcome(network, Precision::Bf16),
        gradients_of(graph, on_one_device(graph, {.precision = Precision::Bf16}), on_gpus()),
        network.name);
  }
}

TEST_P(CudaPrecision, InBf16WorksWithReplicasAndRecomputation) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph(Precision::Bf16);
    const PlanSketch plain = cut(network, Precision::Bf16);
    expect_same_bits(gradients_of(graph, recomputed(plain), on_gpus()),
                     outcome(network, Precision::Bf16), network.name);
    std::vector<int> replicas(plain.stages.size(), 1);
    replicas[1] = 2;
    // Gradients are added up in fp32; what each replica rounds is the same.
    expect_near(gradients_of(graph, replicated(plain, replicas), on_gpus()),
                outcome(network, Precision::Bf16), k_bf16, network.name);
  }
}

std::vector<double> losses_of(const ComputationGraph& graph, const PlanSketch& sketch) {
  const auto plan = plan_from(graph, sketch);
  return TrainingRun(plan->workload, plan->stages, plan->program, on_gpus()).train(50);
}

/// Losses of the first and of the last ten steps, whose samples differ from step to step.
double mean(const std::vector<double>& losses, std::size_t first) {
  double sum = 0.0;
  for (std::size_t i = first; i < first + 10; ++i) sum += losses[i];
  return sum / 10.0;
}

TEST_P(CudaPrecision, InBf16LearnsAsInFp32) {
  for (const CutNetwork& network : {cut_network("chain"), cut_network("transformer")}) {
    PlanSketch sketch = cut(network, Precision::Bf16, {.optimizer = Optimizer::Adam});
    const std::vector<double> bf16 = losses_of(network.graph(Precision::Bf16), sketch);
    sketch.precision = Precision::Fp32;
    const std::vector<double> fp32 = losses_of(network.graph(), sketch);
    for (std::size_t step = 0; step < fp32.size(); ++step)
      ASSERT_NEAR(bf16[step], fp32[step], k_bf16 * fp32[step]) << network.name << ", step " << step;
    EXPECT_LT(mean(bf16, 40), mean(bf16, 0)) << network.name;
  }
}

// Steps far below the 2^-9 that a stored weight would round away add up in the weights that are
// trained.
TEST_P(CudaPrecision, InBf16KeepsWeightsOfFp32) {
  const CutNetwork& chain = cut_network("chain");
  const ComputationGraph graph = chain.graph(Precision::Bf16);
  const auto plan = plan_from(graph, cut(chain, Precision::Bf16, {.optimizer = Optimizer::Sgd}));
  TrainingRunOptions options = on_gpus();
  options.optimizer.learning_rate = 1e-3;
  TrainingRun run(plan->workload, plan->stages, plan->program, options);
  const NamedTensors before = run.parameters();
  run.train(1);
  const NamedTensors after = run.parameters();
  std::size_t moved = 0;
  for (const auto& [name, values] : before)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (const float change = std::abs(after.at(name)[i] - values[i]);
          change > 0 && change < std::abs(values[i]) / 512.0F)
        ++moved;
  EXPECT_GT(moved, 100U);
}

/// What an engine has taken is what the memory function says of its device, part by part.
void expect_as_predicted(const CudaEngine& engine, const DeviceMemory& needs) {
  const AreaSizes& sizes = engine.passes().sizes();
  const auto size = [&](Area area) { return sizes[static_cast<std::size_t>(area)]; };
  EXPECT_EQ(size(Area::Parameters) + size(Area::Rounded), needs.parameters);
  EXPECT_EQ(size(Area::Gradients), needs.gradients);
  EXPECT_EQ(size(Area::State), needs.optimizer_state);
  EXPECT_EQ(needs.parameters + needs.gradients + needs.optimizer_state + size(Area::Arena),
            needs.peak);
  const DeviceMemoryUse use = engine.memory_use();
  EXPECT_EQ(use.predicted, needs.peak);
  EXPECT_EQ(use.high_water, use.predicted + use.beside);
  // The rest is what the memory function leaves out, each area on a multiple of 256 bytes.
  const Bytes beside = k_test_workspace + size(Area::Scratch) + size(Area::Held) +
                       size(Area::Accumulators) + size(Area::Losses);
  EXPECT_GE(use.high_water, needs.peak + beside);
  EXPECT_LT(use.high_water, needs.peak + beside + Bytes{256 * k_areas});
}

TEST_P(CudaPrecision, InBf16TakesTheMemoryThatThePlanPredicts) {
  for (const CutNetwork& network : {cut_network("chain"), cut_network("diamond")})
    for (const PlanKind kind : {PlanKind::Graph, PlanKind::Sequential})
      for (const Optimizer optimizer : {Optimizer::Sgd, Optimizer::Momentum, Optimizer::Adam}) {
        SCOPED_TRACE(network.name + " by " + std::string(to_text(optimizer)));
        const auto plan =
            plan_from(network.graph(Precision::Bf16),
                      cut(network, Precision::Bf16, {.kind = kind, .optimizer = optimizer}));
        TrainingRunOptions options = on_gpus();
        options.memory = MemoryUse::Tight;
        TrainingRun run(plan->workload, plan->stages, plan->program, options);
        run.train(1);
        const MemoryAnalysis memory(plan->workload, plan->stages, plan->program);
        for (std::size_t d = 0; d < run.devices().engines().size(); ++d)
          expect_as_predicted(static_cast<const CudaEngine&>(*run.devices().engines()[d]),
                              memory.device(make_id<DeviceId>(d)));
      }
}

// Two replicas of a stage add up what the program says: 4 bytes for each of the stage's parameters.
TEST_P(CudaPrecision, InBf16AddsUpGradientsOfFourBytes) {
  const CutNetwork& chain = cut_network("chain");
  const ComputationGraph graph = chain.graph(Precision::Bf16);
  const PlanSketch plain = cut(chain, Precision::Bf16);
  std::vector<int> replicas(plain.stages.size(), 1);
  replicas[1] = 2;
  const auto plan = plan_from(graph, replicated(plain, replicas));
  TrainingRun run(plan->workload, plan->stages, plan->program, on_gpus());
  std::size_t sums = 0;
  for (std::size_t n = 0; n < plan->program.size(); ++n) {
    const Instruction& i = plan->program.instructions()[n];
    if (i.kind != InstructionKind::AllReduce) continue;
    ++sums;
    EXPECT_EQ(i.element_bytes, sizeof(float));
    Bytes added;
    TrainingEngine& engine = *run.devices().engines()[i.device.index()];
    for (const Piece& piece : engine.reduced(make_id<InstructionId>(n)).sum) added += piece.bytes;
    EXPECT_EQ(i.bytes, added);
    EXPECT_EQ(added, engine.passes().parameters().bytes());
  }
  EXPECT_EQ(sums, 2U);
}

}  // namespace
}  // namespace pipegraph::test
