// Softmax, cross entropy, layer norm and sums of columns against their plain references.
#include <gtest/gtest.h>

#include "exec/kernels/column_sums.h"
#include "exec/kernels/cross_entropy.h"
#include "exec/kernels/layer_norm.h"
#include "exec/kernels/reference/layer_norm.h"
#include "exec/kernels/reference/softmax.h"
#include "tests/exec/kernels/row_runs.h"

namespace pipegraph::test {
namespace {

namespace ref = kernels::reference;

/// Row lengths around the widths that members of a group take at once.
class RowKernels : public ::testing::TestWithParam<std::int64_t> {
 protected:
  static constexpr std::int64_t k_rows = 4;
  std::int64_t columns = GetParam();
  Matrix x = random_matrix("x", k_rows, columns);
  Matrix gradient = random_matrix("gradient", k_rows, columns);
  Matrix gain = random_matrix("gain", 1, columns);
  Numbers x_numbers{x}, gradient_numbers{gradient}, gain_numbers{gain};
};
INSTANTIATE_TEST_SUITE_P(Columns, RowKernels, ::testing::Values(1, 3, 16, 37, 70));

TEST_P(RowKernels, Softmax) {
  expect_rows(k_rows, ref::softmax(x, 0).values, [&]<class T>(T scalar, View<T> into) {
    return kernels::SoftmaxForward<T>{columns, 0, x_numbers.view(scalar), into};
  });
}

TEST_P(RowKernels, SoftmaxOfHugeNumbersDoesNotOverflow) {
  Matrix huge = x;
  for (double& value : huge.values) value = 1024.0 * value;
  const Numbers huge_numbers(huge);
  // softmax(x) = softmax(x - c) for any c; the reference cannot take e^2048.
  Matrix shifted = huge;
  for (std::int64_t row = 0; row < k_rows; ++row) {
    const double largest = *std::max_element(huge.values.begin() + row * columns,
                                             huge.values.begin() + (row + 1) * columns);
    for (std::int64_t i = 0; i < columns; ++i) shifted.at(row, i) -= largest;
  }
  expect_rows(k_rows, ref::softmax(shifted, 0).values, [&]<class T>(T scalar, View<T> into) {
    return kernels::SoftmaxForward<T>{columns, 0, huge_numbers.view(scalar), into};
  });
}

TEST_P(RowKernels, SoftmaxGradient) {
  const Matrix y = ref::softmax(x, 0);
  const Numbers y_numbers(y);
  expect_rows(k_rows, ref::softmax_gradient(y, gradient).values,
              [&]<class T>(T scalar, View<T> into) {
                return kernels::SoftmaxBackward<T>{columns, y_numbers.view(scalar),
                                                   gradient_numbers.view(scalar), into};
              });
}

TEST_P(RowKernels, SoftmaxGradientInPlace) {
  const Matrix y = ref::softmax(x, 0);
  const Numbers y_numbers(y);
  expect_rows(k_rows, ref::softmax_gradient(y, gradient).values, gradient.values,
              [&]<class T>(T scalar, View<T> into) {
                return kernels::SoftmaxBackward<T>{columns, y_numbers.view(scalar), into, into};
              });
}

TEST_P(RowKernels, CrossEntropyIsTheMeanOverASamplesRows) {
  const auto classes = random_indices("classes", k_rows, static_cast<std::int32_t>(columns));
  const std::int64_t rows = 2;
  expect_rows(k_rows / rows, ref::cross_entropy(x, classes, rows),
              [&]<class T>(T scalar, View<T> into) {
                return kernels::CrossEntropyForward<T>{rows, columns, x_numbers.view(scalar),
                                                       Numbers::view_of(classes), into};
              });
}

TEST_P(RowKernels, CrossEntropyGradient) {
  const auto classes = random_indices("classes", k_rows, static_cast<std::int32_t>(columns));
  expect_rows(k_rows, ref::cross_entropy_gradient(x, classes, 0.25).values,
              [&]<class T>(T scalar, View<T> into) {
                return kernels::CrossEntropyBackward<T>{columns, T(0.25), x_numbers.view(scalar),
                                                        Numbers::view_of(classes), into};
              });
}

TEST_P(RowKernels, LayerNorm) {
  Matrix expected = ref::normalised(x);
  for (std::int64_t row = 0; row < k_rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i)
      expected.at(row, i) = expected.at(row, i) * gain.at(0, i) + gradient.at(0, i);
  expect_rows(k_rows, expected.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::LayerNormForward<T>{columns, x_numbers.view(scalar), gain_numbers.view(scalar),
                                        gradient_numbers.view(scalar).part(0, columns), into};
  });
}

TEST_P(RowKernels, LayerNormGradient) {
  expect_rows(k_rows, ref::layer_norm_gradient(x, gain.values, gradient).values,
              [&]<class T>(T scalar, View<T> into) {
                return kernels::LayerNormBackwardInput<T>{columns, x_numbers.view(scalar),
                                                          gain_numbers.view(scalar),
                                                          gradient_numbers.view(scalar), into};
              });
}

TEST_P(RowKernels, MeansAndScalesOfRows) {
  std::vector<double> expected;
  for (std::int64_t row = 0; row < k_rows; ++row) expected.push_back(ref::row_mean(x, row));
  for (std::int64_t row = 0; row < k_rows; ++row) expected.push_back(ref::row_scale(x, row));
  expect_rows(k_rows, expected, [&]<class T>(T scalar, View<T> into) {
    return kernels::RowMoments<T>{columns, x_numbers.view(scalar), into.part(0, k_rows),
                                  into.part(k_rows, k_rows)};
  });
}

TEST_P(RowKernels, ColumnSumsAreAddedToWhatIsThere) {
  std::vector<double> expected = gain.values;
  for (std::int64_t row = 0; row < k_rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i)
      expected[static_cast<std::size_t>(i)] += x.at(row, i);
  expect_rows(kernels::column_strips(columns), expected, gain.values,
              [&]<class T>(T scalar, View<T> into) {
                using Term = kernels::MatrixTerm<T>;
                return kernels::ColumnSums<T, Term>{k_rows, columns,
                                                    Term{x_numbers.view(scalar), columns}, into};
              });
}

TEST_P(RowKernels, SumsOfBlocksOfRowsAreStoredOneBelowTheOther) {
  constexpr std::int64_t k_tall = 2 * kernels::k_row_block + 3;  // a whole, a whole, a part
  const Matrix tall = random_matrix("tall", k_tall, columns);
  const Numbers numbers(tall);
  std::vector<double> expected(static_cast<std::size_t>(3 * columns), 0.0);
  for (std::int64_t row = 0; row < k_tall; ++row)
    for (std::int64_t i = 0; i < columns; ++i)
      expected[static_cast<std::size_t>(row / kernels::k_row_block * columns + i)] +=
          tall.at(row, i);
  expect_rows(3 * kernels::column_strips(columns), expected, [&]<class T>(T scalar, View<T> into) {
    using Term = kernels::MatrixTerm<T>;
    return kernels::BlockColumnSums<T, Term>{k_tall, columns, Term{numbers.view(scalar), columns},
                                             into};
  });
}

// What a core adds up side by side, threads of a block add up alone: the order of rows is the same.
TEST_P(RowKernels, SumsOfColumnsHaveTheSameBitsOnEveryGroup) {
  constexpr std::int64_t k_tall = 3 * kernels::k_row_block;
  const Matrix tall = random_matrix("tall", k_tall, columns);
  const std::vector<float> values(tall.values.begin(), tall.values.end());
  using Term = kernels::MatrixTerm<float>;
  const auto body = [&](std::vector<float>& into) {
    return kernels::BlockColumnSums<float, Term>{
        k_tall, columns, Term{Numbers::view_of(values), columns}, view_of(into)};
  };
  const std::int64_t calls = 3 * kernels::column_strips(columns);
  std::vector<float> expected(static_cast<std::size_t>(3 * columns));
  kernels::SerialGroup group;
  for (std::int64_t call = 0; call < calls; ++call) body(expected)(group, call);
  std::vector<float> into(expected.size());
  run_on_thread_block<1>(4, 2, calls, body(into));
  EXPECT_EQ(into, expected);
  into.assign(expected.size(), 0.0F);
  run_on_thread_block<2>(6, 2, calls, body(into));
  EXPECT_EQ(into, expected);
}

TEST_P(RowKernels, GainGradientIsTheSumOfGradientTimesNormalised) {
  const Matrix normalised = ref::normalised(x);
  std::vector<double> expected(static_cast<std::size_t>(columns), 0.0);
  std::vector<double> means, scales;
  for (std::int64_t row = 0; row < k_rows; ++row) {
    means.push_back(ref::row_mean(x, row));
    scales.push_back(ref::row_scale(x, row));
    for (std::int64_t i = 0; i < columns; ++i)
      expected[static_cast<std::size_t>(i)] += gradient.at(row, i) * normalised.at(row, i);
  }
  const Numbers mean_numbers(means), scale_numbers(scales);
  expect_rows(kernels::column_strips(columns), expected, std::vector<double>(expected.size(), 0.0),
              [&]<class T>(T scalar, View<T> into) {
                using Term = kernels::GainTerm<T>;
                return kernels::ColumnSums<T, Term>{
                    k_rows, columns,
                    Term{x_numbers.view(scalar), gradient_numbers.view(scalar),
                         mean_numbers.view(scalar), scale_numbers.view(scalar), columns},
                    into};
              });
}

/// A square causal matrix, twice: period 5.
TEST(CausalSoftmax, LeavesOutLaterColumns) {
  const Matrix x = random_matrix("x", 10, 5);
  const Numbers numbers(x);
  const Matrix expected = ref::softmax(x, 5);
  EXPECT_EQ(expected.at(0, 0), 1.0);
  EXPECT_EQ(expected.at(5, 1), 0.0);
  expect_rows(10, expected.values, [&]<class T>(T scalar, View<T> into) {
    return kernels::SoftmaxForward<T>{5, 5, numbers.view(scalar), into};
  });
}

}  // namespace
}  // namespace pipegraph::test
