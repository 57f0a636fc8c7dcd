#include "exec/training/synthetic_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "exec/operators/parameter_layout.h"
#include "exec/training/initial_weights.h"
#include "models/layers.h"

namespace pipegraph {
namespace {

ComputationGraph network(const std::string& first = "fc") {
  GraphBuilder builder("network", Precision::Fp32, {});
  const Tensor x = feature_input(builder, "x", 2, 3);
  const Tensor ids = index_input(builder, "ids", 2, 5);
  const Tensor rows = embedding(builder, "rows", ids, 3);
  const Tensor sum = add(builder, "sum", x, rows);
  cross_entropy(builder, "loss", linear(builder, first, sum, {.columns = 7}));
  return std::move(builder).finish();
}

template <class T>
std::vector<T> samples(const DataSource& data, OperatorId op, std::int64_t first,
                       std::size_t elements) {
  std::vector<T> values(elements);
  data.read(op, first, std::span<T>(values));
  return values;
}

TEST(SyntheticData, OfASampleDoesNotDependOnWhatElseIsRead) {
  const ComputationGraph graph = network();
  const SyntheticData data(graph, 3);
  const OperatorId x = *graph.find("x");
  const OperatorId ids = *graph.find("ids");
  const auto all = samples<float>(data, x, 0, 6 * 10);
  const auto all_ids = samples<std::int32_t>(data, ids, 0, 2 * 10);
  for (std::size_t s = 0; s < 10; ++s) {
    const auto one = samples<float>(data, x, static_cast<std::int64_t>(s), 6);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<int>(6 * s)));
    const auto pair = samples<std::int32_t>(data, ids, static_cast<std::int64_t>(s), 2);
    EXPECT_TRUE(std::equal(pair.begin(), pair.end(), all_ids.begin() + static_cast<int>(2 * s)));
  }
}

TEST(SyntheticData, DependsOnTheSeed) {
  const ComputationGraph graph = network();
  const OperatorId x = *graph.find("x");
  EXPECT_NE(samples<float>(SyntheticData(graph, 1), x, 0, 60),
            samples<float>(SyntheticData(graph, 2), x, 0, 60));
}

TEST(SyntheticData, OfWholeNumbersStaysInRangeAndUsesAllOfIt) {
  const ComputationGraph graph = network();
  const auto indices = samples<std::int32_t>(SyntheticData(graph, 3), *graph.find("ids"), 0, 2000);
  for (std::int32_t wanted = 0; wanted < 5; ++wanted)
    EXPECT_NE(std::count(indices.begin(), indices.end(), wanted), 0) << wanted;
  // Classes are one of 8 concepts' patterns for each of the 2 rows: at most 16 different pairs.
  const auto classes = samples<std::int32_t>(SyntheticData(graph, 3), *graph.find("loss"), 0, 2000);
  for (const auto& [values, below] : {std::pair{indices, 5}, std::pair{classes, 7}}) {
    EXPECT_LT(*std::max_element(values.begin(), values.end()), below);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  }
  EXPECT_NE(*std::max_element(classes.begin(), classes.end()),
            *std::min_element(classes.begin(), classes.end()));
}

TEST(InitialWeights, DependOnSeedAndNameOnly) {
  const auto weights = [](const ComputationGraph& graph, const std::string& name,
                          std::uint64_t seed) {
    const OperatorId op = *graph.find(name);
    std::vector<float> values(graph.at(op).parameters.count / sizeof(float));
    fill_initial_weights(graph, op, seed, values);
    return values;
  };
  EXPECT_EQ(weights(network("fc"), "fc", 1), weights(network("fc"), "fc", 1));
  EXPECT_NE(weights(network("fc"), "fc", 1), weights(network("fc"), "fc", 2));
  EXPECT_NE(weights(network("fc"), "fc", 1), weights(network("other"), "other", 1));
}

TEST(InitialWeights, FillTheRangeOfTheirLayout) {
  const ComputationGraph graph = network();
  const OperatorId fc = *graph.find("fc");
  std::vector<float> values(graph.at(fc).parameters.count / sizeof(float));
  fill_initial_weights(graph, fc, 1, values);
  const auto layout = parameter_layout(operator_shape(graph, fc));
  const double bound = layout.front().initial.bound;
  float most = 0.0F;
  for (std::size_t i = 0; i < 21; ++i) most = std::max(most, std::abs(values[i]));
  EXPECT_LE(most, bound);
  EXPECT_GT(most, 0.8 * bound);
  for (std::size_t i = 21; i < values.size(); ++i) EXPECT_EQ(values[i], 0.0F) << "bias";
}

}  // namespace
}  // namespace pipegraph
