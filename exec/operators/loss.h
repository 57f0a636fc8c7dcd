// Losses: one number per sample, and the gradient of their mean over the mini-batch.
#pragma once

#include "exec/kernels/cross_entropy.h"
#include "exec/kernels/squared_error.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

template <ArithmeticDevice D>
void forward_squared_error(D& device, const OperatorShape& shape,
                           const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t elements = shape.inputs.front().elements();
  device.rows(data.samples,
              kernels::SquaredErrorForward<T>{elements,
                                              {data.inputs[0], data.samples * elements},
                                              {data.targets, data.samples * elements},
                                              {losses_of(data), data.samples}});
}

template <ArithmeticDevice D>
void backward_squared_error(D& device, const OperatorShape& shape,
                            const OperatorData<typename D::Scalar>& data,
                            const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  using W = kernels::Wide<T>;
  if (!shape.inputs[0].needs_gradient) return;
  const std::int64_t elements = shape.inputs.front().elements();
  const std::int64_t all = data.samples * elements;
  device.elements(all, kernels::SquaredErrorBackward<T>{W{2} / W(elements * gradients.mini_batch),
                                                        {data.inputs[0], all},
                                                        {data.targets, all},
                                                        {gradients.inputs[0], all}});
}

template <ArithmeticDevice D>
void forward_cross_entropy(D& device, const OperatorShape& shape,
                           const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const InputShape& x = shape.inputs.front();
  device.rows(data.samples,
              kernels::CrossEntropyForward<T>{x.rows,
                                              x.columns,
                                              {data.inputs[0], data.samples * x.elements()},
                                              {data.classes, data.samples * x.rows},
                                              {losses_of(data), data.samples}});
}

template <ArithmeticDevice D>
void backward_cross_entropy(D& device, const OperatorShape& shape,
                            const OperatorData<typename D::Scalar>& data,
                            const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  using W = kernels::Wide<T>;
  const InputShape& x = shape.inputs.front();
  if (!x.needs_gradient) return;
  const std::int64_t all = data.samples * x.elements();
  device.rows(data.samples * x.rows,
              kernels::CrossEntropyBackward<T>{x.columns,
                                               W{1} / W(x.rows * gradients.mini_batch),
                                               {data.inputs[0], all},
                                               {data.classes, data.samples * x.rows},
                                               {gradients.inputs[0], all}});
}

}  // namespace pipegraph::operators
