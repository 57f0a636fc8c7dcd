// One element under the optimizers, as their papers write it, from all gradients so far.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace pipegraph::kernels::reference {

/// velocity_t = sum over s <= t of momentum^(t - s) gradient_s
inline double after_momentum(double parameter, const std::vector<double>& gradients, double rate,
                             double momentum) {
  for (std::size_t t = 0; t < gradients.size(); ++t)
    for (std::size_t s = 0; s <= t; ++s)
      parameter -= rate * std::pow(momentum, static_cast<double>(t - s)) * gradients[s];
  return parameter;
}

struct AdamSettings {
  double rate, first_decay, second_decay, epsilon;
};

/// Moments as weighted means of the gradients and of their squares.
inline double after_adam(double parameter, const std::vector<double>& gradients,
                         const AdamSettings& adam) {
  for (std::size_t t = 1; t <= gradients.size(); ++t) {
    double first = 0.0;
    double second = 0.0;
    for (std::size_t s = 1; s <= t; ++s) {
      const auto age = static_cast<double>(t - s);
      const double g = gradients[s - 1];
      first += (1.0 - adam.first_decay) * std::pow(adam.first_decay, age) * g;
      second += (1.0 - adam.second_decay) * std::pow(adam.second_decay, age) * g * g;
    }
    first /= 1.0 - std::pow(adam.first_decay, static_cast<double>(t));
    second /= 1.0 - std::pow(adam.second_decay, static_cast<double>(t));
    parameter -= adam.rate * first / (std::sqrt(second) + adam.epsilon);
  }
  return parameter;
}

}  // namespace pipegraph::kernels::reference
