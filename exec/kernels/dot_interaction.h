// DLRM's interaction of features (Naumov et al., arXiv 1906.00091), around a batched product: of
// `count` inputs of `width` columns, stacked, the output holds the first, then the products of
// inputs i > j, row by row.
#pragma once

#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

struct InteractionShape {
  std::int64_t count = 0;
  std::int64_t width = 0;
  PIPEGRAPH_HOST_DEVICE std::int64_t columns() const { return width + count * (count - 1) / 2; }
  /// Column of the product of inputs i > j.
  PIPEGRAPH_HOST_DEVICE std::int64_t column(std::int64_t i, std::int64_t j) const {
    return width + i * (i - 1) / 2 + j;
  }
};

/// Row i of a sample's [count, count] products into its place in the output; row 0 brings the first
/// input. Call for samples x count rows.
template <class T>
struct PickProducts {
  InteractionShape shape;
  View<const T> stacked, products;
  View<T> output;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const std::int64_t sample = row / shape.count;
    const std::int64_t i = row % shape.count;
    const std::int64_t begin = sample * shape.columns();
    if (i == 0)
      spread(group, shape.width,
             Copy{stacked.part(row * shape.width, shape.width), output.part(begin, shape.width)});
    else
      spread(group, i,
             Copy{products.part(row * shape.count, i), output.part(begin + shape.column(i, 0), i)});
  }

 private:
  struct Copy {
    View<const T> from;
    View<T> to;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
  };
};

/// Row i of the symmetric matrix whose product with the stacked inputs is their gradient: the
/// gradient of product (i, j) at column j, 0 on the diagonal. Call for samples x count rows.
template <class T>
struct SpreadProducts {
  InteractionShape shape;
  View<const T> gradient;
  View<T> matrix;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    spread(group, shape.count,
           Element{shape, row % shape.count,
                   gradient.part(row / shape.count * shape.columns(), shape.columns()),
                   matrix.part(row * shape.count, shape.count)});
  }

 private:
  struct Element {
    InteractionShape shape;
    std::int64_t i;
    View<const T> gradient;
    View<T> matrix;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t j) const {
      if (i == j)
        matrix[j] = T{0};
      else
        matrix[j] = gradient[i > j ? shape.column(i, j) : shape.column(j, i)];
    }
  };
};

/// The first input also goes to the output as it is: one sample's share of its gradient.
template <class T>
struct AddFirstGradient {
  InteractionShape shape;
  View<const T> gradient;
  View<T> stacked;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t sample) const {
    spread(group, shape.width,
           Add{gradient.part(sample * shape.columns(), shape.width),
               stacked.part(sample * shape.count * shape.width, shape.width)});
  }

 private:
  struct Add {
    View<const T> from;
    View<T> to;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] += from[i]; }
  };
};

}  // namespace pipegraph::kernels
