// Whole families of networks through plans, against gradients that numpy computed in double.
#include <gtest/gtest.h>

#include "tests/exec/golden/golden_case.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

class GoldenPlans : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Networks, GoldenPlans, testing::ValuesIn(golden_case_names()),
                         [](const auto& test) { return test.param; });

/// Thirds of the operators on three devices.
PlanSketch in_thirds(const ComputationGraph& graph, const PlanSketch& shape) {
  const std::size_t n = graph.size();
  return cut_before(graph, {graph.operators()[n / 3].name, graph.operators()[2 * n / 3].name},
                    shape);
}

void expect_golden(const GoldenCase& golden, const PlanSketch& sketch) {
  const GoldenData data(golden.graph);
  const auto plan = plan_from(golden.graph, sketch);
  TrainingRun run(plan->workload, plan->stages, plan->program, {.data = &data});
  for (const auto& [name, values] : run.parameters()) {
    std::vector<float> weights(values.size());
    fill_golden_weights(name, weights);
    run.set_parameter(name, weights);
  }
  EXPECT_NEAR(run.step().front(), golden.loss, 1e-6 * golden.loss);
  const NamedTensors gradients = run.gradients();
  EXPECT_EQ(gradients.size(), golden.gradients.size());
  for (const auto& [name, values] : gradients) expect_golden_gradient(golden, name, values, 5e-6);
}

TEST_P(GoldenPlans, OfThreeStagesComputeWhatNumpyDoes) {
  const GoldenCase golden = golden_case(GetParam());
  const auto samples = static_cast<std::int32_t>(golden.samples);
  expect_golden(golden, in_thirds(golden.graph, {.mini_batch = samples, .micro_batch = 1}));
  expect_golden(golden, in_thirds(golden.graph, {.mini_batch = samples,
                                                 .micro_batch = samples,
                                                 .kind = PlanKind::Sequential}));
  expect_golden(
      golden, recomputed(in_thirds(golden.graph,
                                   {.mini_batch = samples, .micro_batch = 1, .schedule = "zb1p"})));
}

TEST_P(GoldenPlans, WithReplicasComputeWhatNumpyDoes) {
  const GoldenCase golden = golden_case(GetParam());
  const auto samples = static_cast<std::int32_t>(golden.samples);
  expect_golden(golden,
                replicated(in_thirds(golden.graph, {.mini_batch = samples, .micro_batch = samples}),
                           {2, 1, 2}));
}

}  // namespace
}  // namespace pipegraph::test
