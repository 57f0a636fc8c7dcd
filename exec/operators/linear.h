// y = f(x W' + bias) + residual, W [columns, input columns].
#pragma once

#include "exec/kernels/bias.h"
#include "exec/operators/column_sums.h"
#include "exec/operators/operator.h"
#include "exec/operators/products.h"

namespace pipegraph::operators {

/// Sizes and parts of a linear operator.
template <class T>
struct Linear {
  using Views = kernels::View<T>;
  std::int64_t rows, in, out;
  const T* weight;
  kernels::View<const T> bias;      ///< size 0: none
  kernels::View<const T> residual;  ///< size 0: none
  kernels::View<T> argument;        ///< kept for the backward; size 0: not

  std::int64_t elements() const { return rows * out; }
};

template <class T>
Linear<T> linear_of(const OperatorShape& shape, const OperatorData<T>& data) {
  const OperatorArithmetic& op = shape.arithmetic;
  Linear<T> linear{data.samples * op.rows,
                   shape.inputs.front().columns,
                   op.columns,
                   data.parameters,
                   {},
                   {},
                   {}};
  if (op.bias) linear.bias = {data.parameters + linear.in * linear.out, linear.out};
  if (data.inputs.size() > 1) linear.residual = {data.inputs[1], linear.elements()};
  if (internal_elements(shape) > 0) linear.argument = {data.internal, linear.elements()};
  return linear;
}

template <ArithmeticDevice D>
void forward_linear(D& device, const OperatorShape& shape,
                    const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const Linear<T> l = linear_of(shape, data);
  times_transposed(device, {l.rows, l.out, l.in}, data.inputs[0], l.weight, data.output);
  const kernels::View<T> y{data.output, l.elements()};
  switch (shape.arithmetic.activation) {
    case Activation::None:
      if (l.bias.size() + l.residual.size() > 0)
        device.rows(l.rows, kernels::BiasActivation<T, kernels::Identity>{l.out, l.bias, l.residual,
                                                                          l.argument, y});
      break;
    case Activation::Relu:
      device.rows(l.rows, kernels::BiasActivation<T, kernels::Relu>{l.out, l.bias, l.residual,
                                                                    l.argument, y});
      break;
    case Activation::Gelu:
      device.rows(l.rows, kernels::BiasActivation<T, kernels::Gelu>{l.out, l.bias, l.residual,
                                                                    l.argument, y});
      break;
  }
}

/// The gradient of the activation's argument, computed in place of the argument if that is kept,
/// else in scratch.
template <ArithmeticDevice D>
const typename D::Scalar* argument_gradient(
    D& device, const OperatorShape& shape, const OperatorData<typename D::Scalar>& data,
    const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  if (shape.arithmetic.activation == Activation::None) return gradients.output;
  const Linear<T> l = linear_of(shape, data);
  const bool kept = l.argument.size() > 0;
  const kernels::View<const T> at{kept ? data.internal : data.output, l.elements()};
  const kernels::View<const T> from{gradients.output, l.elements()};
  const kernels::View<T> into{kept ? data.internal : scratch_of(data), l.elements()};
  if (shape.arithmetic.activation == Activation::Relu)
    device.elements(l.elements(), kernels::ActivationBackward<T, kernels::Relu>{at, from, into});
  else
    device.elements(l.elements(), kernels::ActivationBackward<T, kernels::Gelu>{at, from, into});
  return into.data();
}

template <ArithmeticDevice D>
void backward_input_linear(D& device, const OperatorShape& shape,
                           const OperatorData<typename D::Scalar>& data,
                           const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const Linear<T> l = linear_of(shape, data);
  if (shape.inputs[0].needs_gradient)
    times(device, {l.rows, l.in, l.out}, argument_gradient(device, shape, data, gradients),
          l.weight, gradients.inputs[0]);
  if (l.residual.size() > 0 && shape.inputs[1].needs_gradient)
    device.copy(gradients.output, gradients.inputs[1], l.elements());
}

template <ArithmeticDevice D>
void backward_weight_linear(D& device, const OperatorShape& shape,
                            const OperatorData<typename D::Scalar>& data,
                            const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const Linear<T> l = linear_of(shape, data);
  // The pass before has left it in place of the argument, if it had to compute it.
  const bool is_there = l.argument.size() > 0 && shape.inputs[0].needs_gradient;
  const T* gradient = is_there ? data.internal : argument_gradient(device, shape, data, gradients);
  add_transposed_times(device, {l.out, l.in, l.rows}, gradient, data.inputs[0],
                       gradients.parameters);
  if (l.bias.size() > 0)
    add_column_sums(
        device, {l.rows, l.out}, gradient,
        {gradients.parameters + l.in * l.out, data.scratch + masked_elements(shape, data.samples)});
}

}  // namespace pipegraph::operators
