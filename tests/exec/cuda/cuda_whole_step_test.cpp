// Steps that are issued as a whole, each anew or as a graph, compute to the last bit what is issued
// instruction by instruction.
#include "exec/cuda/cuda_whole_step.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/base/errors.h"
#include "tests/exec/cuda/cut_networks.h"
#include "tests/exec/cuda/gpu_devices.h"

namespace pipegraph::test {
namespace {

TrainingRunOptions issuing(StepIssue issue) { return on_gpus({.issue = issue}); }

class WholeSteps : public CudaTraining {
 protected:
#ifdef PIPEGRAPH_CUDA_STAND_IN
  WholeSteps() { start({.devices = 1}); }
#endif

  struct Trained {
    std::vector<double> losses;
    NamedTensors parameters;
    bool operator==(const Trained&) const = default;
  };
  static Trained trained(const ComputationGraph& graph, const PlanSketch& sketch, StepIssue issue) {
    const auto plan = plan_from(graph, sketch);
    TrainingRun run(plan->workload, plan->stages, plan->program, issuing(issue));
    std::vector<double> losses = run.train(5);
    return {std::move(losses), run.parameters()};
  }
  static void expect_equal(const ComputationGraph& graph, const PlanSketch& sketch,
                           const std::string& what) {
    const Trained expected = trained(graph, sketch, StepIssue::Instructions);
    EXPECT_EQ(trained(graph, sketch, StepIssue::Steps), expected) << what;
    EXPECT_EQ(trained(graph, sketch, StepIssue::Graph), expected) << what;
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, WholeSteps, gpu_paces(), gpu_pace_name);

// Adam's factors and all samples differ from step to step.
TEST_P(WholeSteps, TrainAsInstructionsDo) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    expect_equal(graph, cut_before(graph, network.cuts, {.optimizer = Optimizer::Adam}),
                 network.name);
  }
  const ComputationGraph diamond = diamond_network();
  for (const char* schedule : {"gpipe", "kfkb", "zb1p"})
    expect_equal(diamond,
                 cut_before(diamond, cut_network("diamond").cuts,
                            {.schedule = schedule, .optimizer = Optimizer::Adam}),
                 schedule);
}

TEST_P(WholeSteps, TrainAsInstructionsDoWithReplicasAndWithoutOverlap) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    PlanSketch sketch =
        cut_before(graph, network.cuts,
                   {.mini_batch = 11, .micro_batch = 4, .optimizer = Optimizer::Momentum});
    std::vector<int> replicas;
    for (std::size_t s = 0; s < sketch.stages.size(); ++s) replicas.push_back(s % 2 == 0 ? 3 : 1);
    sketch = replicated(sketch, replicas);
    sketch.lowering.overlap = network.name == "chain" || network.name == "tied";
    expect_equal(graph, sketch, network.name);
  }
}

TEST_P(WholeSteps, TrainAsInstructionsDoInBf16) {
  const ComputationGraph graph = transformer_network(Precision::Bf16);
  expect_equal(graph,
               cut_before(graph, cut_network("transformer").cuts,
                          {.optimizer = Optimizer::Sgd, .precision = Precision::Bf16}),
               "transformer");
}

TEST_P(WholeSteps, TakeTurnsWithTracedOnes) {
  const auto plan = plan_from(
      dense_chain(), cut_before(dense_chain(), {"fc1", "fc2"}, {.optimizer = Optimizer::Adam}));
  const auto losses = [&](StepIssue issue) {
    TrainingRun run(plan->workload, plan->stages, plan->program, issuing(issue));
    std::vector<double> all;
    for (int i = 0; i < 6; ++i)
      all.push_back(run.step(i % 2 == 1 ? Tracing::On : Tracing::Off).front());
    return all;
  };
  EXPECT_EQ(losses(StepIssue::Graph), losses(StepIssue::Instructions));
}

#ifdef PIPEGRAPH_CUDA_STAND_IN

/// Lets a product of the next step fail; the error says `text`.
void expect_failure(TrainingRun& run, const char* text) {
  cuda_stand_in::fail_operation("product", 3);
  try {
    run.step();
    ADD_FAILURE() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
  }
}

TEST_P(WholeSteps, EndTheRunWhenAGpuFails) {
  const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1", "fc2"}));
  TrainingRun run(plan->workload, plan->stages, plan->program, issuing(StepIssue::Graph));
  run.train(2);
  expect_failure(run, "failed on GPU 0");
}

// Three replicas of a stage on two GPUs: addends are there, and on the other GPU.
TEST_P(WholeSteps, TrainOnTwoAndFourGpusAsInstructionsDo) {
  for (const int gpus : {2, 4}) {
    start({.devices = gpus});
    for (const char* name : {"diamond", "tied", "transformer", "recommendation"}) {
      const CutNetwork& network = cut_network(name);
      const ComputationGraph graph = network.graph();
      const PlanSketch sketch =
          cut_before(graph, network.cuts, {.mini_batch = 12, .optimizer = Optimizer::Adam});
      expect_equal(graph, sketch, fmt::format("{} on {} GPUs", name, gpus));
    }
    const ComputationGraph diamond = diamond_network();
    expect_equal(
        diamond,
        replicated(
            cut_before(diamond, {"left", "sum"},
                       {.mini_batch = 11, .micro_batch = 4, .optimizer = Optimizer::Momentum}),
            {3, 1, 3}),
        fmt::format("replicas on {} GPUs", gpus));
  }
}

TEST_P(WholeSteps, EndTheRunWhenOneOfSeveralGpusFails) {
  start({.devices = 2, .patience = std::chrono::milliseconds(100)});
  const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1", "fc2"}));
  {
    TrainingRun run(plan->workload, plan->stages, plan->program, issuing(StepIssue::Graph));
    run.train(2);
    expect_failure(run, "failed on GPU");
  }
  // What the other GPU was given waits for what never comes, and clearing up for that.
  cuda_stand_in::take_findings();
}

TEST_P(WholeSteps, TakeNoGraphsWhereGpusDoNotReachEachOther) {
  start({.devices = 2, .peer_access = false});
  const ComputationGraph graph = dense_chain();
  const PlanSketch sketch = cut_before(graph, {"fc1", "fc2"});
  EXPECT_EQ(trained(graph, sketch, StepIssue::Steps),
            trained(graph, sketch, StepIssue::Instructions));
  EXPECT_THROW(trained(graph, sketch, StepIssue::Graph), ConfigError);
}

#endif

}  // namespace
}  // namespace pipegraph::test
