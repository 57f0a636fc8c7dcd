// Steps after each other: the loss falls, and alike under every plan.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/errors.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

std::vector<double> losses_of(const ComputationGraph& graph, const PlanSketch& sketch,
                              double learning_rate, int steps = 50) {
  const auto plan = plan_from(graph, sketch);
  TrainingRun run(plan->workload, plan->stages, plan->program,
                  {.optimizer = {.learning_rate = learning_rate}});
  return run.train(steps);
}

std::vector<PlanSketch> six_plans(const ComputationGraph& graph, Optimizer optimizer) {
  const PlanSketch shape{.mini_batch = 16, .micro_batch = 4, .optimizer = optimizer};
  const std::size_t n = graph.size();
  const std::vector<std::string> cuts{graph.operators()[n / 3].name,
                                      graph.operators()[2 * n / 3].name};
  PlanSketch chain = cut_before(graph, cuts, shape);
  chain.kind = PlanKind::Sequential;
  chain.schedule = "gpipe";
  PlanSketch uneven = cut_before(graph, cuts, shape);
  uneven.micro_batch = 5;
  PlanSketch split = cut_before(graph, cuts, shape);
  split.schedule = "zb1p";
  return {on_one_device(graph, shape),
          cut_before(graph, cuts, shape),
          chain,
          recomputed(uneven),
          replicated(cut_before(graph, cuts, shape), {2, 1, 3}),
          split};
}

struct TrainingCase {
  std::string name;
  ComputationGraph graph;
  Optimizer optimizer;
  double learning_rate;
};
void PrintTo(const TrainingCase& test, std::ostream* out) { *out << test.name; }

class Training : public testing::TestWithParam<TrainingCase> {};

INSTANTIATE_TEST_SUITE_P(
    Networks, Training,
    testing::Values(TrainingCase{"sgd", diamond_network(), Optimizer::Sgd, 1.0},
                    TrainingCase{"momentum", two_losses_network(), Optimizer::Momentum, 0.2},
                    TrainingCase{"adam", transformer_network(), Optimizer::Adam, 0.01},
                    TrainingCase{"adam_tied", tied_network(), Optimizer::Adam, 0.03}),
    [](const auto& test) { return test.param.name; });

TEST_P(Training, LossFallsAlikeUnderSixPlans) {
  const auto& [name, graph, optimizer, learning_rate] = GetParam();
  const std::vector<PlanSketch> plans = six_plans(graph, optimizer);
  const std::vector<double> expected = losses_of(graph, plans[0], learning_rate);
  EXPECT_LT(expected.back(), 0.9 * expected.front());
  for (std::size_t p = 1; p < plans.size(); ++p) {
    const std::vector<double> losses = losses_of(graph, plans[p], learning_rate);
    for (std::size_t step = 0; step < losses.size(); ++step)
      ASSERT_NEAR(losses[step], expected[step], 1e-4 * expected[step])
          << "plan " << p << ", step " << step;
  }
}

TEST(TrainingSteps, OfEvaluationLeaveTheWeightsAlone) {
  const ComputationGraph graph = dense_chain();
  const auto plan = plan_from(graph, cut_before(graph, {"fc2"}, {.optimizer = Optimizer::Adam}));
  TrainingRun run(plan->workload, plan->stages, plan->program);
  run.train(2);
  const NamedTensors before = run.parameters();
  const SyntheticData data(graph, 1);
  const StepOrder evaluate{.kind = StepKind::Evaluate, .step = 2, .data = &data};
  const double first = run.runner().run(evaluate).front().mean;
  EXPECT_EQ(run.runner().run(evaluate).front().mean, first);
  EXPECT_EQ(run.parameters(), before);
  EXPECT_NE(run.step().front(), first);
}

/// Sgd by hand: after one step, weight = weight - rate x gradient.
TEST(TrainingSteps, OfSgdMoveAgainstTheGradient) {
  const ComputationGraph graph = dense_chain();
  const Outcome gradients = gradients_of(graph, cut_before(graph, {"fc2"}));
  const auto plan = plan_from(graph, cut_before(graph, {"fc2"}, {.optimizer = Optimizer::Sgd}));
  TrainingRun run(plan->workload, plan->stages, plan->program,
                  {.optimizer = {.learning_rate = 0.5}});
  const NamedTensors before = run.parameters();
  run.step();
  for (const auto& [name, values] : run.parameters())
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(values[i], before.at(name)[i] - 0.5F * gradients.tensors.at(name)[i]) << name;
}

TEST(TrainingSteps, CarryANotANumberInTheSamplesToTheLoss) {
  struct Broken final : DataSource {
    void read(OperatorId, std::int64_t, std::span<float> into) const override {
      std::fill(into.begin(), into.end(), std::nanf(""));
    }
    void read(OperatorId, std::int64_t, std::span<std::int32_t>) const override {}
  } broken;
  const ComputationGraph graph = dense_chain();
  const auto plan = plan_from(graph, cut_before(graph, {"fc2"}));
  TrainingRun run(plan->workload, plan->stages, plan->program, {.data = &broken});
  EXPECT_TRUE(std::isnan(run.step().front()));
}

}  // namespace
}  // namespace pipegraph::test
