// What is measured, not how long it takes: no test may depend on the speed of the machine.
#include "exec/measure/operator_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/errors.h"
#include "core/base/yaml_reader.h"
#include "models/model_reader.h"
#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

ComputationGraph small_model() {
  return read_model(
      YamlValue::parse("{family: mlp, layers: 2, hidden: 8, inputs: 8, outputs: 4}", "model"),
      Precision::Fp32);
}

TEST(ProfileOperators, MeasuresEveryPassOfEveryOperatorAtEverySize) {
  const ComputationGraph graph = small_model();
  int advanced = 0;
  const auto measured = profile_operators(
      graph, {.samples = {1, 3}, .repetitions = 2, .warm_up = 1, .threads = 2, .advanced = [&] {
                ++advanced;
              }});
  EXPECT_EQ(measured.size(), 2 * 4 * graph.size());
  EXPECT_EQ(advanced, 2);
  for (const MeasuredOperator& one : measured) {
    EXPECT_GT(one.time.mean.count(), 0.0) << one.name;
    EXPECT_GE(one.time.count, 1) << one.name;
    // Two repetitions on two threads, at most as many again where the machine was disturbed.
    EXPECT_LE(one.time.count, 8) << one.name;
    EXPECT_TRUE(graph.find(one.name).has_value());
    EXPECT_TRUE(one.samples == 1 || one.samples == 3);
  }
}

// An input does no arithmetic, yet a pass makes its samples: 4096 numbers take longer than none.
TEST(ProfileOperators, CountsReadingSamplesAsTheInputsForward) {
  const ComputationGraph graph = read_model(
      YamlValue::parse("{family: mlp, layers: 1, hidden: 2, inputs: 4096, outputs: 1}", "model"),
      Precision::Fp32);
  Seconds forward{0}, backward{0};
  for (const MeasuredOperator& one : profile_operators(graph, {.samples = {8}, .repetitions = 5})) {
    if (graph.at(*graph.find(one.name)).arithmetic.kind != Arithmetic::Input) continue;
    if (one.pass == Pass::Forward) forward = one.time.mean;
    if (one.pass == Pass::Backward) backward = one.time.mean;
  }
  EXPECT_GT(forward, backward);
}

TEST(ProfileOperators, RefusesAModelWithoutArithmetic) {
  EXPECT_THROW(profile_operators(test::chain_graph(2), {.samples = {1}}), ConfigError);
}

TEST(OptimizerBandwidth, IsPositive) {
  for (const std::uint64_t copies : {0, 1, 2})
    EXPECT_GT(measure_optimizer_bandwidth(copies, 2).value.value, 0.0);
}

}  // namespace
}  // namespace pipegraph
