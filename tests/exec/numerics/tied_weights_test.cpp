// Parameters that several operators share: stored once per device, their gradients added up use by
// use in the order of the operators, on one device and between devices.
#include <gtest/gtest.h>

#include "core/program/memory.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {
namespace {

TEST(TiedWeights, BetweenFirstAndLastStageEqualOneDevice) {
  const ComputationGraph graph = tied_network();
  const Outcome expected = gradients_of(graph, on_one_device(graph));
  for (const char* schedule : {"1f1b", "gpipe", "zb1p"}) {
    PlanSketch sketch = cut_before(graph, {"norm", "head"});
    sketch.schedule = schedule;
    expect_same_bits(gradients_of(graph, sketch), expected, schedule);
    sketch.stages[2].devices = {0};  // both uses on one device, in two stages
    expect_same_bits(gradients_of(graph, sketch), expected, "first and last on one device");
  }
}

/// Uses of one replica are added before neither replicas nor uses of another: (A0 + A1) + (B0 + B1)
/// whether the uses A and B stand in one stage or in two, on the same devices or not.
TEST(TiedWeights, WithReplicasAreAddedUseByUse) {
  const ComputationGraph graph = tied_network();
  for (const int replicas : {2, 3}) {
    const PlanSketch shape{.mini_batch = 12, .micro_batch = 6};
    const Outcome expected =
        gradients_of(graph, replicated(on_one_device(graph, shape), {replicas}));
    PlanSketch sketch =
        replicated(cut_before(graph, {"norm", "head"}, shape), {replicas, replicas, replicas});
    expect_same_bits(gradients_of(graph, sketch), expected, "three stages");
    sketch.stages[2].devices = sketch.stages[0].devices;
    expect_same_bits(gradients_of(graph, sketch), expected, "first and last on the same devices");
  }
}

TEST(TiedWeights, OfTwoPairsAreNotMixedUp) {
  const ComputationGraph graph = two_tied_pairs_network();
  const PlanSketch shape{.mini_batch = 12, .micro_batch = 6};
  const Outcome expected = gradients_of(graph, replicated(on_one_device(graph, shape), {2}));
  expect_same_bits(
      gradients_of(graph, replicated(cut_before(graph, {"sum", "type_head"}, shape), {2, 2, 2})),
      expected, "three stages");
}

TEST(TiedWeights, WithDifferentReplicasAreWithinRounding) {
  const ComputationGraph graph = tied_network();
  const PlanSketch shape{.mini_batch = 12, .micro_batch = 6};
  const Outcome expected = gradients_of(graph, on_one_device(graph, shape));
  for (const std::vector<int>& replicas :
       std::vector<std::vector<int>>{{2, 1, 1}, {1, 1, 3}, {2, 1, 3}})
    expect_near(
        gradients_of(graph, replicated(cut_before(graph, {"norm", "head"}, shape), replicas)),
        expected, 1e-5, fmt::format("{} and {} replicas", replicas[0], replicas[2]));
}

TEST(TiedWeights, StayEqualOnAllDevicesWhileTraining) {
  const ComputationGraph graph = tied_network();
  for (const Optimizer optimizer : {Optimizer::Sgd, Optimizer::Momentum, Optimizer::Adam}) {
    const PlanSketch shape{.mini_batch = 12, .micro_batch = 6, .optimizer = optimizer};
    const auto plan =
        plan_from(graph, replicated(cut_before(graph, {"norm", "head"}, shape), {2, 1, 3}));
    TrainingRun run(plan->workload, plan->stages, plan->program);
    run.train(3);
    EXPECT_EQ(run.parameters().count("table/table"), 1u);  // fails if copies differ
    EXPECT_EQ(run.parameters().count("head/weight"), 0u);
  }
}

}  // namespace
}  // namespace pipegraph::test
