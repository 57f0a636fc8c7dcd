// Layer normalisation by row, and its gradients by the matrix of derivatives.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "exec/kernels/reference/matrix.h"

namespace pipegraph::kernels::reference {

inline double row_mean(const Matrix& x, std::int64_t row) {
  double mean = 0.0;
  for (std::int64_t i = 0; i < x.columns; ++i)
    mean += x.at(row, i) / static_cast<double>(x.columns);
  return mean;
}

/// 1 / sqrt(variance + 1e-5)
inline double row_scale(const Matrix& x, std::int64_t row) {
  double variance = 0.0;
  for (std::int64_t i = 0; i < x.columns; ++i)
    variance += std::pow(x.at(row, i) - row_mean(x, row), 2) / static_cast<double>(x.columns);
  return 1.0 / std::sqrt(variance + 1e-5);
}

inline Matrix normalised(const Matrix& x) {
  Matrix y(x.rows, x.columns);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t i = 0; i < x.columns; ++i)
      y.at(row, i) = (x.at(row, i) - row_mean(x, row)) * row_scale(x, row);
  return y;
}

/// dn_j / dx_i = scale ([i = j] - 1 / columns - n_i n_j / columns), times gain_j and the gradient.
inline Matrix layer_norm_gradient(const Matrix& x, const std::vector<double>& gain,
                                  const Matrix& gradient) {
  const Matrix n = normalised(x);
  const auto count = static_cast<double>(x.columns);
  Matrix result(x.rows, x.columns);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t i = 0; i < x.columns; ++i)
      for (std::int64_t j = 0; j < x.columns; ++j)
        result.at(row, i) += gradient.at(row, j) * gain[static_cast<std::size_t>(j)] *
                             row_scale(x, row) *
                             ((i == j ? 1.0 : 0.0) - (1.0 + n.at(row, i) * n.at(row, j)) / count);
  return result;
}

}  // namespace pipegraph::kernels::reference
