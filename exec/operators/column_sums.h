// Sums of columns as operators use them: level by level through scratch.
#pragma once

#include "exec/kernels/column_sums.h"
#include "exec/operators/device.h"

namespace pipegraph::operators {

struct MatrixSize {
  std::int64_t rows, columns;
};

/// Elements of scratch for the sums of blocks of rows, of all levels.
inline std::int64_t column_sums_scratch(MatrixSize size) {
  std::int64_t elements = 0;
  while (size.rows > kernels::k_row_block) {
    size.rows = kernels::row_blocks(size.rows);
    elements += size.rows * size.columns;
  }
  return elements;
}

template <class W>
struct ColumnSumPlaces {
  W* sums = nullptr;     ///< [columns], added to
  W* scratch = nullptr;  ///< column_sums_scratch() elements
};

/// Adds the sums over the rows of term(row, column).
template <class W, ArithmeticDevice D, class Term>
void add_term_sums(D& device, const MatrixSize& size, const Term& term,
                   const ColumnSumPlaces<W>& at) {
  const std::int64_t strips = kernels::column_strips(size.columns);
  if (size.rows <= kernels::k_row_block) {
    device.rows(strips, kernels::ColumnSums<W, Term>{
                            size.rows, size.columns, term, {at.sums, size.columns}});
    return;
  }
  const std::int64_t blocks = kernels::row_blocks(size.rows);
  const kernels::View<W> of_blocks{at.scratch, blocks * size.columns};
  device.rows(blocks * strips,
              kernels::BlockColumnSums<W, Term>{size.rows, size.columns, term, of_blocks});
  add_term_sums<W>(device, {blocks, size.columns}, kernels::MatrixTerm<W>{of_blocks, size.columns},
                   {at.sums, at.scratch + of_blocks.size()});
}

/// The same of a matrix.
template <ArithmeticDevice D, class T = typename D::Scalar>
void add_column_sums(D& device, const MatrixSize& size, const T* matrix,
                     const ColumnSumPlaces<kernels::Wide<T>>& at) {
  const kernels::MatrixTerm<T> term{{matrix, size.rows * size.columns}, size.columns};
  add_term_sums(device, size, term, at);
}

}  // namespace pipegraph::operators
