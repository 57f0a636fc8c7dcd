// Sums down the columns of a matrix: gradients of biases, gains and offsets, and of everything else
// that all rows share. Rows are added in ascending order, whatever the group.
#pragma once

#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// Columns that one call of a column body takes.
inline constexpr std::int64_t k_column_strip = 64;

PIPEGRAPH_HOST_DEVICE std::int64_t column_strips(std::int64_t columns) {
  return (columns + k_column_strip - 1) / k_column_strip;
}

/// sums[c] += the sum of term(row, c) over `rows` rows; call for the strips of `columns`.
/// A group of one takes a whole strip at a time, so that it reads along the rows.
template <class T, class Term>
struct ColumnSums {
  std::int64_t rows;
  std::int64_t columns;
  Term term;
  View<T> sums;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t strip) const {
    constexpr std::int64_t k_width = Group::k_lanes > 1 ? k_column_strip : 1;
    const std::int64_t begin = strip * k_column_strip;
    const std::int64_t end = begin + k_column_strip < columns ? begin + k_column_strip : columns;
    const std::int64_t step = group.size() * k_width;
    for (std::int64_t c = begin + group.rank() * k_width; c < end; c += step) {
      if (c + k_width <= end)
        add_columns(c, FixedWidth<k_width>{});
      else
        add_columns(c, Width{end - c});
    }
  }

 private:
  template <std::int64_t Count>
  struct FixedWidth {
    static constexpr std::int64_t count = Count;
  };
  struct Width {
    std::int64_t count;
  };
  template <class WidthType>
  PIPEGRAPH_HOST_DEVICE void add_columns(std::int64_t first, WidthType width) const {
    T partial[k_column_strip] = {};
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < width.count; ++i) partial[i] += term(row, first + i);
    for (std::int64_t i = 0; i < width.count; ++i) sums[first + i] += partial[i];
  }
};

/// The elements of a matrix themselves.
template <class T>
struct MatrixTerm {
  View<const T> matrix;
  std::int64_t columns;
  PIPEGRAPH_HOST_DEVICE T operator()(std::int64_t row, std::int64_t column) const {
    return matrix[row * columns + column];
  }
};

}  // namespace pipegraph::kernels
