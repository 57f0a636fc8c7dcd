#include "tests/exec/numerics/trained_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {

namespace {

Stage stage_of(const ComputationGraph& graph, const StageSketch& sketch, const PlanSketch& plan) {
  Stage stage;
  for (const std::string& name : sketch.operators) stage.operators.push_back(*graph.find(name));
  for (const int device : sketch.devices) stage.devices.push_back(DeviceId{device});
  stage.name = sketch.operators.front();
  stage.micro_batch = sketch.micro_batch > 0 ? sketch.micro_batch : plan.micro_batch;
  stage.k = plan.schedule == "kfkb" ? 2 : 1;
  if (sketch.recompute) stage.recompute = stage.operators;
  return stage;
}

float largest(const std::vector<float>& values) {
  float most = 0.0F;
  for (const float value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

std::unique_ptr<TrainedPlan> plan_from(const ComputationGraph& graph, const PlanSketch& sketch) {
  auto plan = std::make_unique<TrainedPlan>();
  std::vector<Stage> stages;
  int devices = 1;
  for (const StageSketch& stage : sketch.stages) {
    stages.push_back(stage_of(graph, stage, sketch));
    for (const int device : stage.devices) devices = std::max(devices, device + 1);
  }
  plan->workload = tiny_workload(graph, ideal_cluster(devices, round_device()),
                                 {.mini_batch = sketch.mini_batch,
                                  .precision = sketch.precision,
                                  .optimizer = sketch.optimizer});
  plan->stages = StageGraph(*plan->workload.graph, stages, sketch.kind, sketch.skip);
  const auto schedule = std::get<Schedule>(make_schedule(
      plan->stages, *find_schedule(sketch.schedule), {.mini_batch = sketch.mini_batch}));
  plan->program = lower(plan->workload, plan->stages, schedule, sketch.lowering);
  return plan;
}

PlanSketch on_one_device(const ComputationGraph& graph, PlanSketch sketch) {
  StageSketch stage{{}, {0}};
  for (const Operator& op : graph.operators()) stage.operators.push_back(op.name);
  sketch.stages = {stage};
  return sketch;
}

PlanSketch cut_before(const ComputationGraph& graph, const std::vector<std::string>& cuts,
                      PlanSketch sketch) {
  sketch.stages.clear();
  for (const Operator& op : graph.operators()) {
    const bool cut = std::find(cuts.begin(), cuts.end(), op.name) != cuts.end();
    if (sketch.stages.empty() || cut)
      sketch.stages.push_back({{}, {static_cast<int>(sketch.stages.size())}});
    sketch.stages.back().operators.push_back(op.name);
  }
  return sketch;
}

PlanSketch replicated(PlanSketch sketch, const std::vector<int>& replicas) {
  int device = 0;
  for (std::size_t s = 0; s < sketch.stages.size(); ++s) {
    sketch.stages[s].devices.clear();
    for (int r = 0; r < replicas.at(s); ++r) sketch.stages[s].devices.push_back(device++);
  }
  return sketch;
}

PlanSketch recomputed(PlanSketch sketch) {
  for (StageSketch& stage : sketch.stages) stage.recompute = true;
  return sketch;
}

Outcome gradients_of(const ComputationGraph& graph, const PlanSketch& sketch,
                     const TrainingRunOptions& options) {
  const auto plan = plan_from(graph, sketch);
  TrainingRun run(plan->workload, plan->stages, plan->program, options);
  const std::vector<double> losses = run.step();
  return {losses, run.gradients()};
}

void expect_same_bits(const Outcome& actual, const Outcome& expected, const std::string& what) {
  EXPECT_EQ(actual.losses, expected.losses) << what;
  ASSERT_EQ(actual.tensors.size(), expected.tensors.size()) << what;
  for (const auto& [name, values] : expected.tensors) {
    const std::vector<float>& other = actual.tensors.at(name);
    ASSERT_EQ(other.size(), values.size()) << what << ": " << name;
    EXPECT_EQ(std::memcmp(other.data(), values.data(), values.size() * sizeof(float)), 0)
        << what << ": " << name;
    EXPECT_GT(largest(values), 0.0F) << what << ": " << name << " says nothing";
  }
}

void expect_near(const Outcome& actual, const Outcome& expected, double tolerance,
                 const std::string& what) {
  for (std::size_t l = 0; l < expected.losses.size(); ++l)
    EXPECT_NEAR(actual.losses[l], expected.losses[l], tolerance * expected.losses[l]) << what;
  ASSERT_EQ(actual.tensors.size(), expected.tensors.size()) << what;
  for (const auto& [name, values] : expected.tensors) {
    const std::vector<float>& other = actual.tensors.at(name);
    const double allowed = tolerance * static_cast<double>(largest(values));
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_NEAR(other[i], values[i], allowed) << what << ": " << name << "[" << i << "]";
  }
}

}  // namespace pipegraph::test
