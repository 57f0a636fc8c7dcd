// Optimizer steps, element by element. Momentum as Sutskever et al. (ICML 2013) without Nesterov's
// change, Adam as Kingma and Ba (arXiv 1412.6980), algorithm 1.
#pragma once

#include <cmath>
#include <cstdint>

#include "exec/kernels/view.h"

namespace pipegraph::kernels {

template <class T>
struct SgdStep {
  T learning_rate;
  View<const T> gradient;
  View<T> parameters;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    parameters[i] -= learning_rate * gradient[i];
  }
};

/// velocity = momentum velocity + gradient; parameters -= learning_rate velocity
template <class T>
struct MomentumStep {
  T learning_rate, momentum;
  View<const T> gradient;
  View<T> velocity, parameters;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    const T next = momentum * velocity[i] + gradient[i];
    velocity[i] = next;
    parameters[i] -= learning_rate * next;
  }
};

/// What Adam needs beside the tensors; the corrections belong to one step.
template <class T>
struct AdamFactors {
  T learning_rate, first_decay, second_decay, epsilon;
  T first_correction;   ///< 1 / (1 - first_decay^step)
  T second_correction;  ///< 1 / (1 - second_decay^step)
};

template <class T>
struct AdamStep {
  AdamFactors<T> factors;
  View<const T> gradient;
  View<T> first_moment, second_moment, parameters;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    const T g = gradient[i];
    const T first = factors.first_decay * first_moment[i] + (T{1} - factors.first_decay) * g;
    const T second =
        factors.second_decay * second_moment[i] + (T{1} - factors.second_decay) * g * g;
    first_moment[i] = first;
    second_moment[i] = second;
    parameters[i] -= factors.learning_rate * (first * factors.first_correction) /
                     (std::sqrt(second * factors.second_correction) + factors.epsilon);
  }
};

}  // namespace pipegraph::kernels
