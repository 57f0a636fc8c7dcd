// Sums down the columns of a matrix: gradients of biases, gains and offsets, and of everything else
// that all rows share. A block of rows is added in ascending order, then the sums of blocks in
// theirs, level by level while there are many: the order depends on the number of rows only, so
// that every device gives the same bits and a tall matrix keeps a GPU busy.
#pragma once

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// Columns that one call of a column body takes, and rows that it adds up.
inline constexpr std::int64_t k_column_strip = 256;
inline constexpr std::int64_t k_row_block = 64;

PIPEGRAPH_HOST_DEVICE std::int64_t column_strips(std::int64_t columns) {
  return (columns + k_column_strip - 1) / k_column_strip;
}
PIPEGRAPH_HOST_DEVICE std::int64_t row_blocks(std::int64_t rows) {
  return (rows + k_row_block - 1) / k_row_block;
}

struct RowRange {
  std::int64_t first = 0, last = 0;
};

namespace column_terms {
/// Columns of a strip over a range of rows. A group of one takes many at a time, so that it reads
/// along the rows.
template <class W, class Term>
struct StripSum {
  std::int64_t columns;
  RowRange rows;
  Term term;

  /// `finish(column, sum)` for every column of the strip.
  template <class Group, class Finish>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t strip,
                                        const Finish& finish) const {
    constexpr std::int64_t k_width = Group::k_lanes > 1 ? 64 : 1;
    const std::int64_t begin = strip * k_column_strip;
    const std::int64_t end = begin + k_column_strip < columns ? begin + k_column_strip : columns;
    const std::int64_t step = group.size() * k_width;
    for (std::int64_t c = begin + group.rank() * k_width; c < end; c += step) {
      if (c + k_width <= end)
        add_columns<k_width>(c, FixedWidth<k_width>{}, finish);
      else
        add_columns<k_width>(c, Width{end - c}, finish);
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
  template <std::int64_t Most, class WidthType, class Finish>
  PIPEGRAPH_HOST_DEVICE void add_columns(std::int64_t first, WidthType width,
                                         const Finish& finish) const {
    W partial[Most] = {};
    for (std::int64_t row = rows.first; row < rows.last; ++row)
      for (std::int64_t i = 0; i < width.count; ++i) partial[i] += term(row, first + i);
    for (std::int64_t i = 0; i < width.count; ++i) finish(first + i, partial[i]);
  }
};

template <class W>
struct Store {
  View<W> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i, W sum) const { into[i] = sum; }
};
template <class W>
struct Add {
  View<W> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i, W sum) const { into[i] += sum; }
};
}  // namespace column_terms

/// sums[c] += the sum of term(row, c) over `rows` rows, in ascending order; call for the strips of
/// `columns`. W: what is added up in.
template <class W, class Term>
struct ColumnSums {
  std::int64_t rows;
  std::int64_t columns;
  Term term;
  View<W> sums;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t strip) const {
    column_terms::StripSum<W, Term>{columns, {0, rows}, term}(group, strip,
                                                              column_terms::Add<W>{sums});
  }
};

/// The same of each block of rows, stored as a row of `sums` [row blocks, columns]; call for
/// row blocks x strips.
template <class W, class Term>
struct BlockColumnSums {
  std::int64_t rows;
  std::int64_t columns;
  Term term;
  View<W> sums;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t call) const {
    const std::int64_t strips = column_strips(columns);
    const std::int64_t block = call / strips;
    const std::int64_t first = block * k_row_block;
    const std::int64_t last = first + k_row_block < rows ? first + k_row_block : rows;
    column_terms::StripSum<W, Term>{columns, {first, last}, term}(
        group, call % strips, column_terms::Store<W>{sums.part(block * columns, columns)});
  }
};

/// The elements of a matrix themselves.
template <class T>
struct MatrixTerm {
  View<const T> matrix;
  std::int64_t columns;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t row, std::int64_t column) const {
    return matrix[row * columns + column];
  }
};

}  // namespace pipegraph::kernels
