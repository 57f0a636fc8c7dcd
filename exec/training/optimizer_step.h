// One optimizer step on the parameters of a stage, the same on every device. Gradients are cleared
// on the way, as the model of its cost says.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/stage/workload.h"
#include "exec/kernels/optimizer.h"
#include "exec/operators/device.h"
#include "exec/training/step_runner.h"

namespace pipegraph {

/// Side by side, `count` elements each; states as far as the optimizer has them.
template <class T>
struct OptimizedTensors {
  std::int64_t count = 0;
  T* parameters = nullptr;
  T* gradients = nullptr;
  T* first_state = nullptr;   ///< momentum's velocity, Adam's first moment
  T* second_state = nullptr;  ///< Adam's second moment
};

/// The learning rate and what else belongs to step `step` (from 1), in the precision of the host.
template <class T>
kernels::AdamFactors<T> adam_factors(const OptimizerSettings& settings, std::int64_t step) {
  const auto correction = [&](double decay) {
    return static_cast<T>(1.0 / (1.0 - std::pow(decay, static_cast<double>(step))));
  };
  return {static_cast<T>(settings.learning_rate),       static_cast<T>(settings.first_moment_decay),
          static_cast<T>(settings.second_moment_decay), static_cast<T>(settings.epsilon),
          correction(settings.first_moment_decay),      correction(settings.second_moment_decay)};
}

/// D: elements() and zero() of an ArithmeticDevice.
template <class D>
void update(D& device, Optimizer optimizer, const StepOrder& order,
            const OptimizedTensors<typename D::Scalar>& tensors) {
  using T = typename D::Scalar;
  const std::int64_t n = tensors.count;
  const kernels::View<T> parameters(tensors.parameters, n);
  const kernels::View<const T> gradients(tensors.gradients, n);
  const auto rate = static_cast<T>(order.optimizer.learning_rate);
  switch (optimizer) {
    case Optimizer::None:
      return;
    case Optimizer::Sgd:
      return device.elements(n, kernels::SgdStep<T>{rate, gradients, parameters});
    case Optimizer::Momentum:
      return device.elements(n, kernels::MomentumStep<T>{rate,
                                                         static_cast<T>(order.optimizer.momentum),
                                                         gradients,
                                                         {tensors.first_state, n},
                                                         parameters});
    case Optimizer::Adam:
      return device.elements(n, kernels::AdamStep<T>{adam_factors<T>(order.optimizer, order.step),
                                                     gradients,
                                                     {tensors.first_state, n},
                                                     {tensors.second_state, n},
                                                     parameters});
  }
}

/// An evaluation leaves parameters and state as they are.
template <class D>
void optimizer_step(D& device, Optimizer optimizer, const StepOrder& order,
                    const OptimizedTensors<typename D::Scalar>& tensors) {
  if (order.kind == StepKind::Train) update(device, optimizer, order, tensors);
  device.zero(tensors.gradients, tensors.count);
}

}  // namespace pipegraph
