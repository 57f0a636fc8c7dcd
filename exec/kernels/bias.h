// What follows the product in a linear layer, row by row: + bias, activation, + residual.
#pragma once

#include "exec/kernels/activation.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// One row of y: argument = y + bias, y = f(argument) + residual. Views of size 0 are left out:
/// `bias` [columns], `residual` and `argument` like y.
template <class T, class Function>
struct BiasActivation {
  std::int64_t columns;
  View<const T> bias;
  View<const T> residual;
  View<T> argument;
  View<T> y;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const std::int64_t first = row * columns;
    if (bias.size() > 0) spread(group, columns, AddBias{bias, y.part(first, columns)});
    if (argument.size() > 0)
      spread(group, columns, Copy{y.part(first, columns), argument.part(first, columns)});
    if (residual.size() > 0)
      spread(group, columns, ApplyAndAdd{residual.part(first, columns), y.part(first, columns)});
    else
      spread(group, columns, Apply{y.part(first, columns)});
  }

 private:
  // A member takes the same elements in each of these, so no sync is needed between them.
  struct AddBias {
    View<const T> bias;
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { y[i] += bias[i]; }
  };
  struct Copy {
    View<const T> from;
    View<T> to;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
  };
  struct Apply {
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      y[i] = Function{}.value(wide(y[i]));
    }
  };
  struct ApplyAndAdd {
    View<const T> residual;
    View<T> y;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      y[i] = Function{}.value(wide(y[i])) + residual[i];
    }
  };
};

}  // namespace pipegraph::kernels
