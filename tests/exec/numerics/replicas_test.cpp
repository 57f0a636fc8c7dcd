// Replicas, other micro-batches, ragged ends: what changes is the order of addition and nothing
// else.
#include <gtest/gtest.h>

#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"
#include "tests/exec/numerics/whole_numbers.h"

namespace pipegraph::test {
namespace {

Outcome whole_number_gradients(const PlanSketch& sketch) {
  const ComputationGraph graph = whole_number_chain();
  const WholeNumberData data(graph);
  const auto plan = plan_from(graph, sketch);
  TrainingRun run(plan->workload, plan->stages, plan->program, {.data = &data});
  set_whole_number_weights(run);
  const std::vector<double> losses = run.step();
  return {losses, run.gradients()};
}

TEST(WholeNumbers, AreExactWhateverTheMicroBatchesAndReplicas) {
  const ComputationGraph graph = whole_number_chain();
  const std::vector<std::string> cuts{"fc1", "fc2", "fc3"};
  const Outcome expected =
      whole_number_gradients(on_one_device(graph, {.mini_batch = 8, .micro_batch = 8}));
  for (const std::int32_t micro_batch : {3, 4, 8})  // 3: shares of 3, 3, 2
    for (const std::vector<int>& replicas :
         std::vector<std::vector<int>>{{1, 1, 1, 1}, {1, 2, 1, 1}, {3, 1, 1, 2}, {2, 3, 2, 3}})
      for (const char* schedule : {"1f1b", "gpipe", "zb1p"})
        expect_same_bits(
            whole_number_gradients(replicated(
                cut_before(graph, cuts,
                           {.mini_batch = 8, .micro_batch = micro_batch, .schedule = schedule}),
                replicas)),
            expected, fmt::format("{} of 8, {}", micro_batch, schedule));
}

TEST(WholeNumbers, AreExactWithAMicroBatchSizeForEachStage) {
  const ComputationGraph graph = whole_number_chain();
  const Outcome expected =
      whole_number_gradients(on_one_device(graph, {.mini_batch = 8, .micro_batch = 8}));
  for (const std::vector<std::int32_t>& sizes :
       std::vector<std::vector<std::int32_t>>{{1, 2, 4, 8}, {8, 4, 2, 1}, {3, 5, 2, 3}}) {
    PlanSketch sketch = cut_before(graph, {"fc1", "fc2", "fc3"}, {.mini_batch = 8});
    for (std::size_t s = 0; s < sizes.size(); ++s) sketch.stages[s].micro_batch = sizes[s];
    expect_same_bits(whole_number_gradients(sketch), expected, fmt::format("first {}", sizes[0]));
    sketch.stages[2].devices = {0};  // shares a device with the first stage
    expect_same_bits(whole_number_gradients(sketch), expected, "on three devices");
  }
}

TEST(Replicas, EqualDataParallelismOfTheWholeNetworkBitForBit) {
  for (const ComputationGraph& graph : {dense_chain(), transformer_network(), diamond_network()})
    for (const int replicas : {2, 3}) {
      const PlanSketch shape{.mini_batch = 12, .micro_batch = 6};
      const Outcome expected =
          gradients_of(graph, replicated(on_one_device(graph, shape), {replicas}));
      const std::string middle = graph.operators()[graph.size() / 2].name;
      for (const char* schedule : {"1f1b", "gpipe", "zb1p"}) {
        PlanSketch sketch = cut_before(graph, {middle}, shape);
        sketch.schedule = schedule;
        expect_same_bits(gradients_of(graph, replicated(sketch, {replicas, replicas})), expected,
                         fmt::format("{} replicas, {}", replicas, schedule));
      }
    }
}

/// The order of addition done by hand: each replica's shares on a device of its own, in the order
/// of the micro-batches, then the replicas in order.
TEST(Replicas, AreAddedInTheOrderOfTheirIndex) {
  const ComputationGraph graph = dense_chain();
  constexpr std::int32_t k_replicas = 3;
  std::vector<NamedTensors> parts;
  for (std::int32_t r = 0; r < k_replicas; ++r) {
    // Replica r owns samples 2r and 2r + 1 of every six.
    const SyntheticData all(graph, 1);
    const ShareOfData data(graph, all, {.micro_batch = 6, .first = 2 * r, .samples = 2});
    const auto plan = plan_from(graph, on_one_device(graph, {.mini_batch = 4, .micro_batch = 2}));
    TrainingRun run(plan->workload, plan->stages, plan->program, {.data = &data});
    run.step();
    parts.push_back(run.gradients());
  }
  const Outcome actual = gradients_of(
      graph, replicated(on_one_device(graph, {.mini_batch = 12, .micro_batch = 6}), {k_replicas}));
  for (const auto& [name, values] : actual.tensors)
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Each part is a mean over its own 4 samples of 12: a third of it counts. Scaling by 1/12
      // instead of 1/4 rounds differently, so this is the only tolerance here.
      const float sum = (parts[0].at(name)[i] + parts[1].at(name)[i]) + parts[2].at(name)[i];
      EXPECT_NEAR(values[i], sum / 3.0F, 1e-6F * std::abs(sum) + 1e-9F) << name;
    }
}

TEST(MicroBatches, OfOtherSizesAreWithinRoundingOnSmoothNetworks) {
  for (const ComputationGraph& graph :
       {dense_chain(), transformer_network(), tied_network(), recommendation_network()}) {
    const Outcome expected =
        gradients_of(graph, on_one_device(graph, {.mini_batch = 8, .micro_batch = 8}));
    for (const std::int32_t micro_batch : {1, 3, 4, 5}) {
      const std::string middle = graph.operators()[graph.size() / 2].name;
      const PlanSketch sketch =
          cut_before(graph, {middle}, {.mini_batch = 8, .micro_batch = micro_batch});
      const std::string what = fmt::format("{} of 8", micro_batch);
      expect_near(gradients_of(graph, sketch), expected, 1e-5, what);
      if (micro_batch >= 3)
        expect_near(gradients_of(graph, replicated(sketch, {2, 3})), expected, 1e-5,
                    what + " replicated");
    }
  }
}

/// Without a mean over the mini-batch the gradient would grow with the number of micro-batches.
TEST(MicroBatches, DoNotScaleTheGradient) {
  const ComputationGraph graph = dense_chain();
  const Outcome one =
      gradients_of(graph, on_one_device(graph, {.mini_batch = 16, .micro_batch = 16}));
  const Outcome many =
      gradients_of(graph, on_one_device(graph, {.mini_batch = 16, .micro_batch = 1}));
  expect_near(many, one, 1e-5, "16 micro-batches");
}

TEST(MicroBatches, FewerThanStagesOrOneAloneWork) {
  const ComputationGraph graph = dense_chain();
  for (const std::int32_t micro_batch : {4, 2}) {  // one, two
    const PlanSketch shape{.mini_batch = 4, .micro_batch = micro_batch};
    const Outcome expected = gradients_of(graph, on_one_device(graph, shape));
    for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p"}) {
      PlanSketch sketch = cut_before(graph, {"fc1", "fc2", "fc3", "loss"}, shape);
      sketch.schedule = schedule;
      expect_same_bits(gradients_of(graph, sketch), expected, schedule);
    }
  }
}

}  // namespace
}  // namespace pipegraph::test
