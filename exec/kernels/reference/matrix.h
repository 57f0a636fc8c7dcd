// A matrix of doubles for the plain references of kernels: written to be obviously right, not fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipegraph::kernels::reference {

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;

  Matrix(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count * column_count), 0.0) {}
  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

}  // namespace pipegraph::kernels::reference
