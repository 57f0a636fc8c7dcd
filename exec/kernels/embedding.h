// Rows looked up in a table, and the gradient of the table. That gradient is added up without
// atomics: every piece of the table reads all indices, in order, and takes those of its own rows,
// so that the order of addition is that of the lookups whatever the device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

namespace embedding_terms {
template <class T>
struct Copy {
  View<const T> from;
  View<T> to;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
};
template <class T, class Into = T>
struct Add {
  View<const T> from;
  View<Into> to;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] += from[i]; }
};
}  // namespace embedding_terms

/// One row of the output: the sum of `pooled` consecutive lookups (1: an embedding, or a bag whose
/// rows lie side by side).
template <class T>
struct EmbeddingForward {
  std::int64_t columns;
  std::int64_t pooled;
  View<const std::int32_t> indices;
  View<const T> table;
  View<T> output;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const View<T> to = output.part(row * columns, columns);
    if constexpr (std::is_same_v<T, Wide<T>>)
      add_rows(group, row, to);
    else  // what is stored in between would be rounded lookup by lookup
      spread(group, columns, SumOfColumn{columns, indices.part(row * pooled, pooled), table, to});
  }

 private:
  template <class Group>
  PIPEGRAPH_HOST_DEVICE void add_rows(Group& group, std::int64_t row, View<T> to) const {
    for (std::int64_t k = 0; k < pooled; ++k) {
      const std::int64_t index = indices[row * pooled + k];
      const View<const T> from = table.part(index * columns, columns);
      if (k == 0)
        spread(group, columns, embedding_terms::Copy<T>{from, to});
      else
        spread(group, columns, embedding_terms::Add<T>{from, to});
    }
  }

  struct SumOfColumn {
    std::int64_t columns;
    View<const std::int32_t> indices;
    View<const T> table;
    View<T> output;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      Wide<T> total = table[indices[0] * columns + i];
      for (std::int64_t k = 1; k < indices.size(); ++k) total += table[indices[k] * columns + i];
      output[i] = total;
    }
  };
};

/// The gradient of those rows of the table whose number is `piece` modulo `pieces`; call for every
/// piece. Added to `table_gradient`.
template <class T>
struct EmbeddingBackward {
  std::int64_t columns;
  std::int64_t pooled;
  std::int64_t pieces;
  View<const std::int32_t> indices;
  View<const T> gradient;
  View<Wide<T>> table_gradient;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t piece) const {
    for (std::int64_t i = 0; i < indices.size(); ++i) {
      const std::int64_t index = indices[i];
      if (index % pieces != piece) continue;
      spread(group, columns,
             embedding_terms::Add<T, Wide<T>>{gradient.part(i / pooled * columns, columns),
                                              table_gradient.part(index * columns, columns)});
    }
  }
};

/// Learned positions, one row: y = x + the position's row.
template <class T>
struct AddPositions {
  std::int64_t rows, columns;
  View<const T> x, positions;
  View<T> y;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    spread(group, columns,
           Sum{x.part(row * columns, columns), positions.part(row % rows * columns, columns),
               y.part(row * columns, columns)});
  }

 private:
  struct Sum {
    View<const T> x, position;
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = x[i] + position[i]; }
  };
};

}  // namespace pipegraph::kernels
