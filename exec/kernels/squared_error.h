// Mean squared error: of a sample, the mean over its elements.
#pragma once

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/group.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

/// The loss of one sample.
template <class T>
struct SquaredErrorForward {
  std::int64_t elements;
  View<const T> x;
  View<const Wide<T>> targets;
  View<Wide<T>> losses;

  template <class Group>
  PIPEGRAPH_HOST_DEVICE void operator()(Group& group, std::int64_t sample) const {
    const std::int64_t first = sample * elements;
    const Wide<T> total = sum<Wide<T>>(
        group, elements, Square{x.part(first, elements), targets.part(first, elements)});
    if (group.rank() == 0) losses[sample] = total / Wide<T>(elements);
  }

 private:
  struct Square {
    View<const T> x;
    View<const Wide<T>> target;
    PIPEGRAPH_HOST_DEVICE Wide<T> operator()(std::int64_t i) const {
      return (x[i] - target[i]) * (x[i] - target[i]);
    }
  };
};

/// Gradient of x: factor (x - target); factor = 2 / (elements of a sample, samples averaged over).
template <class T>
struct SquaredErrorBackward {
  Wide<T> factor;
  View<const T> x;
  View<const Wide<T>> targets;
  View<T> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    into[i] = factor * (x[i] - targets[i]);
  }
};

}  // namespace pipegraph::kernels
