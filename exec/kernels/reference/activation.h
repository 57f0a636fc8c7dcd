// GELU and ReLU as their definitions say.
#pragma once

#include <cmath>
#include <numbers>

namespace pipegraph::kernels::reference {

inline double relu(double x) { return x > 0.0 ? x : 0.0; }
inline double relu_slope(double x) { return x > 0.0 ? 1.0 : 0.0; }

inline double gelu_argument(double x) {
  return std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}
inline double gelu(double x) { return 0.5 * x * (1.0 + std::tanh(gelu_argument(x))); }
inline double gelu_slope(double x) {
  const double t = std::tanh(gelu_argument(x));
  const double argument_slope = std::sqrt(2.0 / std::numbers::pi) * (1.0 + 3.0 * 0.044715 * x * x);
  return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * argument_slope;
}

}  // namespace pipegraph::kernels::reference
