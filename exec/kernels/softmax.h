// Softmax of a row, whole or causal: of row r of a square matrix only the first r + 1 columns take
// part, the others get 0.
#pragma once

#include <limits>

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/math.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

namespace softmax_terms {
template <class T>
struct Value {
  View<const T> x;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const { return x[i]; }
};
/// e^(x - largest): never overflows.
template <class T>
struct Exponential {
  View<const T> x;
  Wide<T> largest;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const {
    return exponential(x[i] - largest);
  }
};
template <class T>
struct Product {
  View<const T> a, b;
  PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const { return a[i] * b[i]; }
};
}  // namespace softmax_terms

/// Largest element and the sum of all e^(x - largest). A NaN anywhere makes the sum NaN.
template <class T>
struct SoftmaxScale {
  Wide<T> largest, total;
};

template <class T, class Group>
PIPEGRAPH_HOST_DEVICE SoftmaxScale<T> softmax_scale(Group& group, View<const T> x) {
  using W = Wide<T>;
  const W largest = reduce_terms(group, x.size(), -std::numeric_limits<W>::infinity(),
                                 softmax_terms::Value<T>{x}, Larger{});
  return {largest, sum<W>(group, x.size(), softmax_terms::Exponential<T>{x, largest})};
}

/// One row; y may be x. `period`: 0, or the number of rows of a square causal matrix.
template <class T>
struct SoftmaxForward {
  std::int64_t columns;
  std::int64_t period;
  View<const T> x;
  View<T> y;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const std::int64_t used = period > 0 ? row % period + 1 : columns;
    const View<const T> from = x.part(row * columns, used);
    const View<T> to = y.part(row * columns, used);
    using W = Wide<T>;
    const W largest = reduce_terms(group, used, -std::numeric_limits<W>::infinity(),
                                   softmax_terms::Value<T>{from}, Larger{});
    spread(group, used, Exponentials{from, to, largest});
    group.sync();
    const W total = sum<W>(group, used, softmax_terms::Value<T>{to});
    group.sync();
    spread(group, used, Scale{to, W{1} / total});
    spread(group, columns - used, Clear{y.part(row * columns + used, columns - used)});
  }

 private:
  struct Exponentials {
    View<const T> x;
    View<T> y;
    Wide<T> largest;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      y[i] = exponential(x[i] - largest);
    }
  };
  struct Scale {
    View<T> y;
    Wide<T> factor;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] *= factor; }
  };
  struct Clear {
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = T{0}; }
  };
};

/// One row of the gradient of x: y (g - sum(g y)), from the gradient g of y. `into` may be
/// `gradient`. Columns that took no part have y = 0 and get 0.
template <class T>
struct SoftmaxBackward {
  std::int64_t columns;
  View<const T> y, gradient;
  View<T> into;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const View<const T> y_row = y.part(row * columns, columns);
    const View<const T> gradient_row = gradient.part(row * columns, columns);
    const Wide<T> mean =
        sum<Wide<T>>(group, columns, softmax_terms::Product<T>{y_row, gradient_row});
    group.sync();
    spread(group, columns, Combine{y_row, gradient_row, into.part(row * columns, columns), mean});
  }

 private:
  struct Combine {
    View<const T> y, gradient;
    View<T> into;
    Wide<T> mean;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      into[i] = y[i] * (gradient[i] - mean);
    }
  };
};

}  // namespace pipegraph::kernels
