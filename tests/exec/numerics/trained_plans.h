// Plans of small networks written as lists of operator names, run for real and compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/program/lower.h"
#include "tests/support/training_run.h"

namespace pipegraph::test {

/// One stage: its operators by name, and its devices.
struct StageSketch {
  std::vector<std::string> operators;
  std::vector<int> devices;
  bool recompute = false;
  std::int32_t micro_batch = 0;  ///< 0: the plan's
};

struct PlanSketch {
  std::vector<StageSketch> stages;
  std::int32_t mini_batch = 8;
  std::int32_t micro_batch = 2;
  PlanKind kind = PlanKind::Graph;
  SkipTransfer skip = SkipTransfer::Direct;
  std::string schedule = "1f1b";
  Optimizer optimizer = Optimizer::None;
  Precision precision = Precision::Fp32;
  LoweringOptions lowering{};
};

/// Owns everything a run refers to; not moved once made.
struct TrainedPlan {
  Workload workload;
  StageGraph stages;
  Program program;
};
/// Errors: std::bad_variant_access if the schedule is a deadlock.
std::unique_ptr<TrainedPlan> plan_from(const ComputationGraph& graph, const PlanSketch& sketch);

/// Everything on one device, in one stage.
PlanSketch on_one_device(const ComputationGraph& graph, PlanSketch sketch = {});
/// The operators `cuts[i]` to before `cuts[i + 1]` in stage i on device i; the first stage begins
/// with the first operator.
PlanSketch cut_before(const ComputationGraph& graph, const std::vector<std::string>& cuts,
                      PlanSketch sketch = {});
/// Devices for so many replicas of each stage.
PlanSketch replicated(PlanSketch sketch, const std::vector<int>& replicas);
PlanSketch recomputed(PlanSketch sketch);

struct Outcome {
  std::vector<double> losses;
  NamedTensors tensors;
};
/// Losses and gradients of one step.
Outcome gradients_of(const ComputationGraph& graph, const PlanSketch& sketch,
                     const TrainingRunOptions& options = {});

/// Fails the running test unless both are equal bit for bit.
void expect_same_bits(const Outcome& actual, const Outcome& expected, const std::string& what);
/// Unless each tensor differs by at most `tolerance` of its largest value.
void expect_near(const Outcome& actual, const Outcome& expected, double tolerance,
                 const std::string& what);

}  // namespace pipegraph::test
