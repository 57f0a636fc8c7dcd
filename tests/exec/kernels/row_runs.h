// Runs a row body the ways it can be run, each time on fresh output, and expects of each what a
// plain reference says: on the cpu's group of one in double and float, and on blocks of threads.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "exec/kernels/group.h"
#include "exec/kernels/random.h"
#include "exec/kernels/reference/matrix.h"
#include "exec/kernels/view.h"
#include "tests/exec/kernels/thread_block.h"

namespace pipegraph::test {

using kernels::View;
using kernels::reference::Matrix;

inline Matrix random_matrix(std::string_view name, std::int64_t rows, std::int64_t columns) {
  Matrix result(rows, columns);
  const kernels::RandomStream stream = kernels::random_stream(3, name);
  for (std::size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = 2.0 * static_cast<double>(stream.symmetric(i));
  return result;
}

inline std::vector<std::int32_t> random_indices(std::string_view name, std::size_t count,
                                                std::int32_t limit) {
  std::vector<std::int32_t> result(count);
  const kernels::RandomStream stream = kernels::random_stream(3, name);
  for (std::size_t i = 0; i < count; ++i) result[i] = stream.below(limit, i);
  return result;
}

/// Inputs of a kernel in both scalars; numbers of random_matrix are exact in either.
class Numbers {
 public:
  explicit Numbers(const std::vector<double>& values)
      : doubles_(values), floats_(values.begin(), values.end()) {}
  explicit Numbers(const Matrix& matrix) : Numbers(matrix.values) {}
  View<const double> view(double) const { return view_of(doubles_); }
  View<const float> view(float) const { return view_of(floats_); }

  template <class T>
  static View<const T> view_of(const std::vector<T>& values) {
    return {values.data(), static_cast<std::int64_t>(values.size())};
  }

 private:
  std::vector<double> doubles_;
  std::vector<float> floats_;
};

template <class T>
View<T> view_of(std::vector<T>& values) {
  return {values.data(), static_cast<std::int64_t>(values.size())};
}

template <class T>
void expect_near(const std::vector<T>& actual, const std::vector<double>& expected,
                 double tolerance, const char* way) {
  ASSERT_EQ(actual.size(), expected.size()) << way;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << way << ", element " << i;
}

/// `make_body(scalar{}, into)` returns the body that writes to `into`, of the size of `expected`;
/// it starts as `before`. It is called for `rows` rows.
template <class MakeBody>
void expect_rows(std::int64_t rows, const std::vector<double>& expected,
                 const std::vector<double>& before, const MakeBody& make_body) {
  const auto serial = [&](auto scalar, double tolerance, const char* way) {
    using T = decltype(scalar);
    std::vector<T> into(before.begin(), before.end());
    const auto body = make_body(scalar, view_of(into));
    kernels::SerialGroup group;
    for (std::int64_t row = 0; row < rows; ++row) body(group, row);
    expect_near(into, expected, tolerance, way);
  };
  serial(double{}, 1e-12, "double, group of one");
  serial(float{}, 5e-6, "float, group of one");

  std::vector<double> into = before;
  run_on_thread_block<1>(4, 2, rows, make_body(double{}, view_of(into)));
  expect_near(into, expected, 1e-12, "double, 4 threads in warps of 2");
  std::vector<float> narrow(before.begin(), before.end());
  run_on_thread_block<1>(4, 4, rows, make_body(float{}, view_of(narrow)));
  expect_near(narrow, expected, 5e-6, "float, 4 threads in one warp");
  into = before;
  run_on_thread_block<2>(6, 2, rows, make_body(double{}, view_of(into)));
  expect_near(into, expected, 1e-12, "double, 6 threads in warps of 2, two lanes each");
}

template <class MakeBody>
void expect_rows(std::int64_t rows, const std::vector<double>& expected,
                 const MakeBody& make_body) {
  expect_rows(rows, expected, std::vector<double>(expected.size(), -7.0), make_body);
}

}  // namespace pipegraph::test
