// Softmax by row, causal or not, its gradient by the matrix of derivatives, and cross entropy.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "exec/kernels/reference/matrix.h"

namespace pipegraph::kernels::reference {

/// Row r uses `period` = 0: all columns, else the first r % period + 1.
inline Matrix softmax(const Matrix& x, std::int64_t period) {
  Matrix y(x.rows, x.columns);
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const std::int64_t used = period > 0 ? row % period + 1 : x.columns;
    double total = 0.0;
    for (std::int64_t i = 0; i < used; ++i) total += std::exp(x.at(row, i));
    for (std::int64_t i = 0; i < used; ++i) y.at(row, i) = std::exp(x.at(row, i)) / total;
  }
  return y;
}

/// dy_j / dx_i = y_j ([i = j] - y_i)
inline Matrix softmax_gradient(const Matrix& y, const Matrix& gradient) {
  Matrix result(y.rows, y.columns);
  for (std::int64_t row = 0; row < y.rows; ++row)
    for (std::int64_t i = 0; i < y.columns; ++i)
      for (std::int64_t j = 0; j < y.columns; ++j)
        result.at(row, i) +=
            gradient.at(row, j) * y.at(row, j) * ((i == j ? 1.0 : 0.0) - y.at(row, i));
  return result;
}

/// Of each sample of `rows` rows: the mean of -log(softmax at the class).
inline std::vector<double> cross_entropy(const Matrix& x, const std::vector<std::int32_t>& classes,
                                         std::int64_t rows) {
  const Matrix probabilities = softmax(x, 0);
  std::vector<double> losses(static_cast<std::size_t>(x.rows / rows), 0.0);
  for (std::int64_t row = 0; row < x.rows; ++row)
    losses[static_cast<std::size_t>(row / rows)] -=
        std::log(probabilities.at(row, classes[static_cast<std::size_t>(row)])) /
        static_cast<double>(rows);
  return losses;
}

inline Matrix cross_entropy_gradient(const Matrix& x, const std::vector<std::int32_t>& classes,
                                     double factor) {
  Matrix gradient = softmax(x, 0);
  for (std::int64_t row = 0; row < x.rows; ++row)
    gradient.at(row, classes[static_cast<std::size_t>(row)]) -= 1.0;
  for (double& value : gradient.values) value *= factor;
  return gradient;
}

}  // namespace pipegraph::kernels::reference
