// Lookups, joins, means, interactions, attention's layouts and biases against plain references.
#include <gtest/gtest.h>

#include "exec/kernels/attention.h"
#include "exec/kernels/bias.h"
#include "exec/kernels/dot_interaction.h"
#include "exec/kernels/embedding.h"
#include "exec/kernels/join.h"
#include "exec/kernels/reference/activation.h"
#include "exec/kernels/reference/lookup.h"
#include "exec/kernels/squared_error.h"
#include "tests/exec/kernels/row_runs.h"

namespace pipegraph::test {
namespace {

namespace ref = kernels::reference;

TEST(BiasKernel, AddsBiasThenActivatesThenAddsTheResidual) {
  const Matrix product = random_matrix("product", 3, 21);
  const Matrix bias = random_matrix("bias", 1, 21);
  const Matrix residual = random_matrix("residual", 3, 21);
  const Numbers bias_numbers(bias), residual_numbers(residual);
  Matrix expected = product;
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t i = 0; i < 21; ++i)
      expected.at(row, i) = ref::gelu(product.at(row, i) + bias.at(0, i)) + residual.at(row, i);
  expect_rows(3, expected.values, product.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::BiasActivation<T, kernels::Gelu>{
        21, bias_numbers.view(scalar), residual_numbers.view(scalar), {}, into};
  });
}

TEST(BiasKernel, KeepsTheArgumentOfTheActivation) {
  const Matrix product = random_matrix("product", 3, 21);
  const Matrix bias = random_matrix("bias", 1, 21);
  const Numbers bias_numbers(bias);
  std::vector<double> expected, before = product.values;
  for (std::int64_t i = 0; i < 63; ++i)
    expected.push_back(ref::relu(product.values[static_cast<std::size_t>(i)] + bias.at(0, i % 21)));
  for (std::int64_t i = 0; i < 63; ++i)
    expected.push_back(product.values[static_cast<std::size_t>(i)] + bias.at(0, i % 21));
  before.resize(126, -7.0);
  expect_rows(3, expected, before, [&]<class T>(T scalar, View<T> into) {
    return kernels::BiasActivation<T, kernels::Relu>{
        21, bias_numbers.view(scalar), {}, into.part(63, 63), into.part(0, 63)};
  });
}

/// Pooled 1 is an embedding, 4 a bag.
class Lookups : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Pooled, Lookups, ::testing::Values(1, 4));

TEST_P(Lookups, AddUpRowsOfTheTable) {
  const Matrix table = random_matrix("table", 7, 5);
  const Numbers table_numbers(table);
  const auto indices = random_indices("indices", 12, 7);
  expect_rows(12 / GetParam(), ref::lookup(table, indices, GetParam()).values,
              [&]<class T>(T scalar, View<T> into) {
                return kernels::EmbeddingForward<T>{5, GetParam(), Numbers::view_of(indices),
                                                    table_numbers.view(scalar), into};
              });
}

TEST_P(Lookups, GradientGoesToTheRowsLookedUpWhateverThePieces) {
  const Matrix gradient = random_matrix("gradient", 12 / GetParam(), 5);
  const Numbers gradient_numbers(gradient);
  const auto indices = random_indices("indices", 12, 7);
  const Matrix expected = ref::lookup_gradient(gradient, indices, GetParam(), 7);
  for (const std::int64_t pieces : {1, 3, 10})
    expect_rows(
        pieces, expected.values, std::vector<double>(35, 0.0),
        [&]<class T>(T scalar, View<T> into) {
          return kernels::EmbeddingBackward<T>{
              5,   GetParam(), pieces, Numbers::view_of(indices), gradient_numbers.view(scalar),
              into};
        });
}

TEST(Positions, AreAddedToEverySample) {
  const Matrix x = random_matrix("x", 6, 5);
  const Matrix positions = random_matrix("positions", 3, 5);
  const Numbers x_numbers(x), position_numbers(positions);
  Matrix expected = x;
  for (std::int64_t row = 0; row < 6; ++row)
    for (std::int64_t i = 0; i < 5; ++i) expected.at(row, i) += positions.at(row % 3, i);
  expect_rows(6, expected.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::AddPositions<T>{3, 5, x_numbers.view(scalar), position_numbers.view(scalar),
                                    into};
  });
}

TEST(Strips, AreCopiedBetweenRowsOfDifferentWidths) {
  const Matrix from = random_matrix("from", 3, 6);
  const Numbers from_numbers(from);
  Matrix expected = random_matrix("to", 3, 9);
  const std::vector<double> before = expected.values;
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t i = 0; i < 4; ++i) expected.at(row, 5 + i) = from.at(row, 2 + i);
  expect_rows(3, expected.values, before, [&]<class T>(T scalar, View<T> into) {
    return kernels::CopyStrip<T>{4, {from_numbers.view(scalar), 2, 6}, {into, 5, 9}};
  });
}

TEST(MeanOverRows, AndItsGradient) {
  const Matrix x = random_matrix("x", 6, 5);
  const Numbers numbers(x);
  expect_rows(2, ref::row_means(x, 3).values, [&]<class T>(T scalar, View<T> into) {
    return kernels::MeanForward<T>{3, 5, numbers.view(scalar), into};
  });
  Matrix expected(18, 5);
  for (std::int64_t row = 0; row < 18; ++row)
    for (std::int64_t i = 0; i < 5; ++i) expected.at(row, i) = x.at(row / 3, i) / 3.0;
  expect_rows(18, expected.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::MeanBackward<T>{3, 5, numbers.view(scalar), into};
  });
}

TEST(SquaredError, IsTheMeanOverASamplesElements) {
  const Matrix x = random_matrix("x", 3, 20);
  const Matrix targets = random_matrix("targets", 3, 20);
  const Numbers x_numbers(x), target_numbers(targets);
  std::vector<double> expected(3, 0.0);
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t i = 0; i < 20; ++i)
      expected[static_cast<std::size_t>(row)] +=
          std::pow(x.at(row, i) - targets.at(row, i), 2) / 20.0;
  expect_rows(3, expected, [&]<class T>(T scalar, View<T> into) {
    return kernels::SquaredErrorForward<T>{20, x_numbers.view(scalar), target_numbers.view(scalar),
                                           into};
  });
}

constexpr kernels::InteractionShape k_interaction{.count = 4, .width = 3};

TEST(DotInteraction, PicksEveryPairOnce) {
  const Matrix inputs = random_matrix("inputs", 2 * 4, 3);
  Matrix products(2 * 4, 4);
  std::vector<double> expected;
  for (std::int64_t sample = 0; sample < 2; ++sample) {
    Matrix own(4, 3);
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t c = 0; c < 3; ++c) own.at(i, c) = inputs.at(4 * sample + i, c);
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j)
        for (std::int64_t c = 0; c < 3; ++c)
          products.at(4 * sample + i, j) += own.at(i, c) * own.at(j, c);
    const std::vector<double> result = ref::dot_interaction(own);
    expected.insert(expected.end(), result.begin(), result.end());
  }
  const Numbers input_numbers(inputs), product_numbers(products);
  ASSERT_EQ(k_interaction.columns(), 3 + 6);
  expect_rows(2 * 4, expected, [&]<class T>(T scalar, View<T> into) {
    return kernels::PickProducts<T>{k_interaction, input_numbers.view(scalar),
                                    product_numbers.view(scalar), into};
  });
}

TEST(DotInteraction, SpreadsGradientsToASymmetricMatrix) {
  const Matrix gradient = random_matrix("gradient", 2, 9);
  const Numbers numbers(gradient);
  Matrix expected(2 * 4, 4);
  for (std::int64_t sample = 0; sample < 2; ++sample) {
    std::int64_t column = 3;
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < i; ++j, ++column) {
        expected.at(4 * sample + i, j) = gradient.at(sample, column);
        expected.at(4 * sample + j, i) = gradient.at(sample, column);
      }
  }
  expect_rows(2 * 4, expected.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::SpreadProducts<T>{k_interaction, numbers.view(scalar), into};
  });
  Matrix first(2 * 4, 3);
  for (std::int64_t sample = 0; sample < 2; ++sample)
    for (std::int64_t c = 0; c < 3; ++c) first.at(4 * sample, c) = gradient.at(sample, c);
  expect_rows(2, first.values, std::vector<double>(24, 0.0), [&]<class T>(T scalar, View<T> into) {
    return kernels::AddFirstGradient<T>{k_interaction, numbers.view(scalar), into};
  });
}

/// [samples, tokens, parts, heads, width] <-> [parts, samples, heads, tokens, width]
TEST(Heads, AreSplitWithABiasAndMergedAgain) {
  const kernels::HeadShape shape{
      .samples = 2, .tokens = 3, .heads = 2, .head_columns = 5, .parts = 3};
  const Matrix merged = random_matrix("merged", 2 * 3, 3 * 2 * 5);
  const Matrix bias = random_matrix("bias", 1, 3 * 2 * 5);
  std::vector<double> split, without_bias;
  for (std::int64_t part = 0; part < 3; ++part)
    for (std::int64_t sample = 0; sample < 2; ++sample)
      for (std::int64_t head = 0; head < 2; ++head)
        for (std::int64_t token = 0; token < 3; ++token)
          for (std::int64_t i = 0; i < 5; ++i) {
            const std::int64_t column = (part * 2 + head) * 5 + i;
            without_bias.push_back(merged.at(sample * 3 + token, column));
            split.push_back(without_bias.back() + bias.at(0, column));
          }
  const Numbers merged_numbers(merged), bias_numbers(bias), split_numbers(without_bias);
  expect_rows(shape.rows(), split, [&]<class T>(T scalar, View<T> into) {
    return kernels::SplitHeads<T>{shape, merged_numbers.view(scalar), bias_numbers.view(scalar),
                                  into};
  });
  expect_rows(shape.rows(), without_bias, [&]<class T>(T scalar, View<T> into) {
    return kernels::SplitHeads<T>{shape, merged_numbers.view(scalar), {}, into};
  });
  expect_rows(shape.rows(), merged.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::MergeHeads<T>{shape, split_numbers.view(scalar), into};
  });
}

}  // namespace
}  // namespace pipegraph::test
