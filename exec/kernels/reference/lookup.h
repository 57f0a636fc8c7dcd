// Embeddings, joins and interactions by their definitions.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/kernels/reference/matrix.h"

namespace pipegraph::kernels::reference {

/// Row r: the sum of the table's rows at indices [r pooled, (r + 1) pooled).
inline Matrix lookup(const Matrix& table, const std::vector<std::int32_t>& indices,
                     std::int64_t pooled) {
  Matrix y(static_cast<std::int64_t>(indices.size()) / pooled, table.columns);
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::int64_t c = 0; c < table.columns; ++c)
      y.at(static_cast<std::int64_t>(i) / pooled, c) += table.at(indices[i], c);
  return y;
}

inline Matrix lookup_gradient(const Matrix& gradient, const std::vector<std::int32_t>& indices,
                              std::int64_t pooled, std::int64_t table_rows) {
  Matrix table(table_rows, gradient.columns);
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::int64_t c = 0; c < gradient.columns; ++c)
      table.at(indices[i], c) += gradient.at(static_cast<std::int64_t>(i) / pooled, c);
  return table;
}

/// Of inputs given as rows: the first, then the products of rows i > j.
inline std::vector<double> dot_interaction(const Matrix& inputs) {
  std::vector<double> result;
  for (std::int64_t c = 0; c < inputs.columns; ++c) result.push_back(inputs.at(0, c));
  for (std::int64_t i = 0; i < inputs.rows; ++i)
    for (std::int64_t j = 0; j < i; ++j) {
      double product = 0.0;
      for (std::int64_t c = 0; c < inputs.columns; ++c)
        product += inputs.at(i, c) * inputs.at(j, c);
      result.push_back(product);
    }
  return result;
}

/// Mean of each `period` consecutive rows.
inline Matrix row_means(const Matrix& x, std::int64_t period) {
  Matrix y(x.rows / period, x.columns);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t c = 0; c < x.columns; ++c)
      y.at(row / period, c) += x.at(row, c) / static_cast<double>(period);
  return y;
}

}  // namespace pipegraph::kernels::reference
