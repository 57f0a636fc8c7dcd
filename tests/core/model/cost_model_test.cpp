#include "core/model/cost_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

const OperatorId k_first{0};

/// 1 TFLOP/s, 1 GB/s, no launch, one multiprocessor: tiles always fill the waves.
ComputeRate round_rate() {
  ComputeRate rate;
  rate.peak = {1e12};
  rate.memory_bandwidth = {1e9};
  return rate;
}

ComputationGraph graph_of(Operator op) {
  op.name = "op";
  return {"g", {std::move(op)}};
}

TEST(Pass, HasALetterAndAName) {
  EXPECT_EQ(to_letter(Pass::Forward), 'F');
  EXPECT_EQ(to_letter(Pass::BackwardWeight), 'W');
  EXPECT_EQ(to_text(Pass::Backward), "backward");
  EXPECT_EQ(to_text(Pass::BackwardInput), "backward_input");
}

TEST(TileAndWave, FillsTheDeviceWhenTilesDivideTheOutput) {
  // 256 x 128 tiles of 2560 x 1024: 10 x 8 = 80 tiles, one wave on 80 multiprocessors.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(2560, 1024, 80), 1.0);
}

TEST(TileAndWave, WastesPaddingOfSmallOutputs) {
  // One row: 64 x 64 tiles waste least, 1/64; 64 columns make one tile on the one multiprocessor.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(1, 64, 1), 1.0 / 64.0);
  // 100 x 100: one 128 x 128 tile uses 10 000 / 16 384; 2 x 2 tiles of 64 x 64 the same area.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(100, 100, 1), 10000.0 / 16384.0);
}

TEST(TileAndWave, WastesTheLastWave) {
  // 128 x 256 on 80: tiles of 64 x 64 make 2 x 4 = 8 of 80; larger tiles fewer.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(128, 256, 80), 0.1);
  // 256 x 1024 on 10: 64 x 64: 64 tiles, 7 waves, 64/70; 128 x 64: 32 tiles, 4 waves, 32/40;
  // 128 x 128: 16 tiles, 2 waves, 16/20; 256 x 128: 8 tiles, 1 wave, 8/10. The first is best.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(256, 1024, 10), 64.0 / 70.0);
}

TEST(TileAndWave, GrowsWithTheMicroBatch) {
  // Rows of 1 and 64 samples of a 4096-wide layer on 80: 64 x 64 tiles, 64 of 80 used, all padded
  // rows but one against none.
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(1, 4096, 80), 0.8 / 64.0);
  EXPECT_DOUBLE_EQ(tile_and_wave_efficiency(64, 4096, 80), 0.8);
}

TEST(Roofline, TakesTheSlowerOfComputeAndMemory) {
  Operator op;
  op.forward.flops = {2e9};                  // 2 ms a sample
  op.forward.bytes = Bytes{1'000'000};       // 1 ms a sample
  op.backward.flops = {1e9};                 // 1 ms a sample
  op.backward.fixed_bytes = Bytes{5000000};  // 5 ms a pass
  const ComputationGraph graph = graph_of(op);
  const RooflineCosts costs(graph);

  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Forward, 3, round_rate()).count(), 6e-3);
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Backward, 1, round_rate()).count(), 5e-3);
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Backward, 7, round_rate()).count(), 7e-3);
  EXPECT_EQ(costs.source(), "roofline");
}

TEST(Roofline, AddsLaunchAndScalesWithEfficiency) {
  Operator op;
  op.forward.flops = {1e9};
  const ComputationGraph graph = graph_of(op);
  ComputeRate rate = round_rate();
  rate.efficiency = 0.5;
  rate.launch = Seconds{1e-3};

  // 1 ms launch + 1 GFLOP at half of 1 TFLOP/s = 3 ms; the backward has no work and no launch.
  EXPECT_DOUBLE_EQ(RooflineCosts(graph).time(k_first, Pass::Forward, 1, rate).count(), 3e-3);
  EXPECT_EQ(RooflineCosts(graph).time(k_first, Pass::Backward, 1, rate).count(), 0.0);
}

TEST(Roofline, ScalesRowsOrInnerDimensionOfProducts) {
  Operator op;
  op.forward.products = {{1, 64, 1000}};                           // 128 000 FLOPs a sample
  op.backward.products = {{64, 64, 1000, ProductScaling::Inner}};  // 8 192 000 FLOPs a sample
  const ComputationGraph graph = graph_of(op);
  const RooflineCosts costs(graph);

  // 1 and 64 samples fill 1/64 and 64/64 of a tile: equal times, 64 x 128 000 FLOPs at full rate.
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Forward, 1, round_rate()).count(), 8.192e-6);
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Forward, 64, round_rate()).count(), 8.192e-6);
  // The gradient's output is a whole tile whatever the samples.
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Backward, 1, round_rate()).count(), 8.192e-6);
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Backward, 2, round_rate()).count(), 16.384e-6);
}

TEST(Roofline, LetsExplicitTimesReplaceTheFormula) {
  const ComputationGraph graph = test::chain_graph(1);
  ComputeRate rate = round_rate();
  rate.launch = Seconds{1};
  rate.slowdown = 2.0;
  const RooflineCosts costs(graph);

  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Forward, 3, rate).count(), 6.0);
  EXPECT_DOUBLE_EQ(costs.time(k_first, Pass::Backward, 3, rate).count(), 12.0);
  EXPECT_EQ(costs.source(), "explicit");
}

TEST(Roofline, DividesABackwardThatIsNotSplit) {
  const ComputationGraph bare = test::chain_graph(1);
  const ComputationGraph weighted = test::chain_graph(1, {.parameters = Bytes{4}});
  const auto time = [](const ComputationGraph& graph, Pass pass) {
    return RooflineCosts(graph).time(k_first, pass, 1, round_rate()).count();
  };
  EXPECT_EQ(time(bare, Pass::BackwardInput), 2.0);
  EXPECT_EQ(time(bare, Pass::BackwardWeight), 0.0);
  EXPECT_EQ(time(weighted, Pass::BackwardInput), 1.0);
  EXPECT_EQ(time(weighted, Pass::BackwardWeight), 1.0);
}

TEST(Roofline, UsesTheHalvesOfASplitBackward) {
  Operator op = test::tiny_operator("op", {});
  op.backward_input.emplace().time = Seconds{1.25};
  op.backward_weight.emplace().time = Seconds{0.5};
  const ComputationGraph graph = graph_of(op);
  const RooflineCosts costs(graph);

  EXPECT_EQ(costs.time(k_first, Pass::BackwardInput, 2, round_rate()).count(), 2.5);
  EXPECT_EQ(costs.time(k_first, Pass::BackwardWeight, 2, round_rate()).count(), 1.0);
  EXPECT_EQ(costs.time(k_first, Pass::Backward, 2, round_rate()).count(), 3.5);
}

TEST(Roofline, NeedsAPeakForFlopsOnly) {
  Operator op;
  op.forward.flops = {1.0};
  op.backward.bytes = Bytes{1000};
  const ComputationGraph graph = graph_of(op);
  const ComputeRate unknown;  // no peak, no bandwidth

  EXPECT_THROW(RooflineCosts(graph).time(k_first, Pass::Forward, 1, unknown), ConfigError);
  EXPECT_EQ(RooflineCosts(graph).time(k_first, Pass::Backward, 1, unknown).count(), 0.0);
}

TEST(Roofline, CostsNothingWithoutLimits) {
  Operator op;
  op.forward.products = {{1, 1, 1}};
  op.forward.bytes = Bytes{1000};
  const ComputationGraph graph = graph_of(op);
  ComputeRate rate;
  rate.peak = {std::numeric_limits<double>::infinity()};
  rate.memory_bandwidth = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(RooflineCosts(graph).time(k_first, Pass::Forward, 1, rate).count(), 0.0);
}

TEST(Roofline, SaysWhenTimesAndWorkAreMixed) {
  Operator work;
  work.name = "work";
  work.forward.flops = {1.0};
  const ComputationGraph graph("g", {test::tiny_operator("timed", {}), work});
  EXPECT_EQ(RooflineCosts(graph).source(), "roofline and explicit");
}

}  // namespace
}  // namespace pipegraph
