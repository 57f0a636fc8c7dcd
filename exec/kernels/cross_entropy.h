// Cross entropy of the softmax of each row against one class per row; of a sample, the mean over
// its rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/kernels/softmax.h"

namespace pipegraph::kernels {

/// The loss of one sample: mean over its rows of log(sum of e^x) - x[class].
template <class T>
struct CrossEntropyForward {
  std::int64_t rows, columns;
  View<const T> x;
  View<const std::int32_t> classes;
  View<Wide<T>> losses;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t sample) const {
    Wide<T> total{0};
    for (std::int64_t row = sample * rows; row < (sample + 1) * rows; ++row) {
      const View<const T> x_row = x.part(row * columns, columns);
      const SoftmaxScale<T> scale = softmax_scale<T>(group, x_row);
      total += std::log(scale.total) + (scale.largest - x_row[classes[row]]);
    }
    if (group.rank() == 0) losses[sample] = total / Wide<T>(rows);
  }
};

/// One row of the gradient of x: factor (softmax - 1 at the class); factor = 1 / (rows of a sample,
/// samples averaged over).
template <class T>
struct CrossEntropyBackward {
  std::int64_t columns;
  Wide<T> factor;
  View<const T> x;
  View<const std::int32_t> classes;
  View<T> into;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t row) const {
    const View<const T> x_row = x.part(row * columns, columns);
    const View<T> into_row = into.part(row * columns, columns);
    const SoftmaxScale<T> scale = softmax_scale<T>(group, x_row);
    spread(group, columns, Probability{x_row, into_row, scale.largest, factor / scale.total});
    group.sync();
    if (group.rank() == 0) into_row[classes[row]] -= factor;
  }

 private:
  struct Probability {
    View<const T> x;
    View<T> into;
    Wide<T> largest, factor;
    PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
      into[i] = exponential(x[i] - largest) * factor;
    }
  };
};

}  // namespace pipegraph::kernels
