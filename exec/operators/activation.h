// ReLU, GELU and softmax as operators of their own.
#pragma once

#include "exec/kernels/activation.h"
#include "exec/kernels/softmax.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

template <class Function, ArithmeticDevice D>
void forward_activation(D& device, const OperatorShape& shape,
                        const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t elements = data.samples * shape.output_elements();
  device.elements(elements, kernels::ActivationForward<T, Function>{{data.inputs[0], elements},
                                                                    {data.output, elements}});
}

template <class Function, ArithmeticDevice D>
void backward_activation(D& device, const OperatorShape& shape,
                         const OperatorData<typename D::Scalar>& data,
                         const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  if (!shape.inputs[0].needs_gradient) return;
  const std::int64_t elements = data.samples * shape.output_elements();
  device.elements(elements,
                  kernels::ActivationBackward<T, Function>{{data.inputs[0], elements},
                                                           {gradients.output, elements},
                                                           {gradients.inputs[0], elements}});
}

template <ArithmeticDevice D>
void forward_softmax(D& device, const OperatorShape& shape,
                     const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t elements = data.samples * shape.output_elements();
  device.rows(
      data.samples * shape.arithmetic.rows,
      kernels::SoftmaxForward<T>{
          shape.arithmetic.columns, 0, {data.inputs[0], elements}, {data.output, elements}});
}

template <ArithmeticDevice D>
void backward_softmax(D& device, const OperatorShape& shape,
                      const OperatorData<typename D::Scalar>& data,
                      const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  if (!shape.inputs[0].needs_gradient) return;
  const std::int64_t elements = data.samples * shape.output_elements();
  device.rows(data.samples * shape.arithmetic.rows,
              kernels::SoftmaxBackward<T>{shape.arithmetic.columns,
                                          {data.output, elements},
                                          {gradients.output, elements},
                                          {gradients.inputs[0], elements}});
}

}  // namespace pipegraph::operators
