// Between the projections of attention, where a token's heads lie side by side, and its products,
// where a head's tokens do. Scores, softmax and the rest are batched products and softmax.h.
#pragma once

#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// `parts` tensors (queries, keys, values, or one) of [samples, tokens, heads, head columns].
struct HeadShape {
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t heads = 1;
  std::int64_t head_columns = 0;
  std::int64_t parts = 1;
  /// Rows that the bodies below are called for.
  PIPEGRAPH_HOST_DEVICE std::int64_t rows() const { return samples * tokens * parts * heads; }
};

/// Where head columns of one token, part and head begin on either side.
struct HeadPlace {
  std::int64_t merged;  ///< in [samples, tokens, parts, heads, head columns]
  std::int64_t split;   ///< in [parts, samples, heads, tokens, head columns]
  std::int64_t column;  ///< in [parts, heads, head columns]
};

PIPEGRAPH_HOST_DEVICE HeadPlace head_place(const HeadShape& shape, std::int64_t row) {
  const std::int64_t head = row % shape.heads;
  const std::int64_t part = row / shape.heads % shape.parts;
  const std::int64_t token = row / (shape.heads * shape.parts);
  const std::int64_t sample = token / shape.tokens;
  const std::int64_t split_row =
      ((part * shape.samples + sample) * shape.heads + head) * shape.tokens + token % shape.tokens;
  return {row * shape.head_columns, split_row * shape.head_columns,
          (part * shape.heads + head) * shape.head_columns};
}

namespace attention_terms {
template <class T>
struct Copy {
  View<const T> from;
  View<T> to;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
};
template <class T>
struct AddBias {
  View<const T> from, bias;
  View<T> to;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i] + bias[i]; }
};
}  // namespace attention_terms

/// split = merged + bias; a bias of size 0 is left out.
template <class T>
struct SplitHeads {
  HeadShape shape;
  View<const T> merged, bias;
  View<T> split;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const HeadPlace place = head_place(shape, row);
    const std::int64_t columns = shape.head_columns;
    const View<const T> from = merged.part(place.merged, columns);
    const View<T> to = split.part(place.split, columns);
    if (bias.size() > 0)
      spread(group, columns,
             attention_terms::AddBias<T>{from, bias.part(place.column, columns), to});
    else
      spread(group, columns, attention_terms::Copy<T>{from, to});
  }
};

template <class T>
struct MergeHeads {
  HeadShape shape;
  View<const T> split;
  View<T> merged;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const HeadPlace place = head_place(shape, row);
    const std::int64_t columns = shape.head_columns;
    spread(group, columns,
           attention_terms::Copy<T>{split.part(place.split, columns),
                                    merged.part(place.merged, columns)});
  }
};

}  // namespace pipegraph::kernels
