// Activations: value and derivative, and the element bodies that apply them. GELU is the form with
// tanh that GPT-2 uses (Hendrycks and Gimpel, arXiv 1606.08415, section 2):
//   gelu(x) = x / 2 (1 + tanh(u)) = x logistic(2 u),   u = sqrt(2 / pi) (x + 0.044715 x^3)
#pragma once

#include "exec/kernels/bfloat16.h"
#include "exec/kernels/math.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

struct Identity {
  template <class T>
  PIPEGRAPH_HOST_DEVICE T value(T x) const {
    return x;
  }
  template <class T>
  PIPEGRAPH_HOST_DEVICE T slope(T) const {
    return T{1};
  }
};

/// Not 0 for NaN, so that it is not hidden.
struct Relu {
  template <class T>
  PIPEGRAPH_HOST_DEVICE T value(T x) const {
    return x < T{0} ? T{0} : x;
  }
  template <class T>
  PIPEGRAPH_HOST_DEVICE T slope(T x) const {
    return x > T{0} ? T{1} : T{0};
  }
};

struct Gelu {
  static constexpr double k_twice_root = 1.5957691216057308;  ///< 2 sqrt(2 / pi)
  static constexpr double k_cubic = 0.044715;

  template <class T>
  PIPEGRAPH_HOST_DEVICE T value(T x) const {
    return x * logistic(twice_u(x));
  }
  template <class T>
  PIPEGRAPH_HOST_DEVICE T slope(T x) const {
    const T s = logistic(twice_u(x));
    const T twice_u_slope = T(k_twice_root) * (T{1} + T(3 * k_cubic) * x * x);
    return s + x * s * (T{1} - s) * twice_u_slope;
  }

 private:
  template <class T>
  PIPEGRAPH_HOST_DEVICE static T twice_u(T x) {
    return T(k_twice_root) * x * (T{1} + T(k_cubic) * x * x);
  }
};

/// y = f(x)
template <class T, class Function>
struct ActivationForward {
  View<const T> x;
  View<T> y;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    y[i] = Function{}.value(wide(x[i]));
  }
};

/// Gradient of f's argument from that of its value. `at` is the argument; for ReLU the value serves
/// as well. `into` may be `at` or `gradient`.
template <class T, class Function>
struct ActivationBackward {
  View<const T> at;
  View<const T> gradient;
  View<T> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    into[i] = gradient[i] * Function{}.slope(wide(at[i]));
  }
};

}  // namespace pipegraph::kernels
