// Operators without parameters where branches meet or rows are averaged.
#pragma once

#include "exec/kernels/join.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

/// The first input or the sum so far, plus the next, in input order.
template <ArithmeticDevice D>
void forward_add(D& device, const OperatorShape& shape,
                 const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t elements = data.samples * shape.output_elements();
  if (data.inputs.size() == 1) return device.copy(data.inputs[0], data.output, elements);
  device.elements(elements, kernels::AddElements<T>{{data.inputs[0], elements},
                                                    {data.inputs[1], elements},
                                                    {data.output, elements}});
  for (std::size_t i = 2; i < data.inputs.size(); ++i)
    device.add(data.inputs[i], data.output, elements);
}

/// The output's gradient to every input that needs one: of an addition, also of positions.
template <ArithmeticDevice D>
void copy_gradient(D& device, const OperatorShape& shape,
                   const OperatorData<typename D::Scalar>& data,
                   const OperatorGradients<typename D::Scalar>& gradients) {
  for (std::size_t i = 0; i < shape.inputs.size(); ++i)
    if (shape.inputs[i].needs_gradient)
      device.copy(gradients.output, gradients.inputs[i], data.samples * shape.output_elements());
}

template <ArithmeticDevice D>
void forward_concat(D& device, const OperatorShape& shape,
                    const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t rows = data.samples * shape.arithmetic.rows;
  const std::int64_t width = shape.arithmetic.columns;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
    const std::int64_t columns = shape.inputs[i].columns;
    device.rows(rows, kernels::CopyStrip<T>{columns,
                                            {{data.inputs[i], rows * columns}, 0, columns},
                                            {{data.output, rows * width}, first, width}});
    first += columns;
  }
}

template <ArithmeticDevice D>
void backward_concat(D& device, const OperatorShape& shape,
                     const OperatorData<typename D::Scalar>& data,
                     const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const std::int64_t rows = data.samples * shape.arithmetic.rows;
  const std::int64_t width = shape.arithmetic.columns;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
    const std::int64_t columns = shape.inputs[i].columns;
    if (shape.inputs[i].needs_gradient)
      device.rows(rows, kernels::CopyStrip<T>{columns,
                                              {{gradients.output, rows * width}, first, width},
                                              {{gradients.inputs[i], rows * columns}, 0, columns}});
    first += columns;
  }
}

template <ArithmeticDevice D>
void forward_mean(D& device, const OperatorShape& shape,
                  const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const InputShape& input = shape.inputs.front();
  device.rows(data.samples,
              kernels::MeanForward<T>{input.rows,
                                      input.columns,
                                      {data.inputs[0], data.samples * input.elements()},
                                      {data.output, data.samples * input.columns}});
}

template <ArithmeticDevice D>
void backward_mean(D& device, const OperatorShape& shape,
                   const OperatorData<typename D::Scalar>& data,
                   const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const InputShape& input = shape.inputs.front();
  if (!input.needs_gradient) return;
  device.rows(data.samples * input.rows,
              kernels::MeanBackward<T>{input.rows,
                                       input.columns,
                                       {gradients.output, data.samples * input.columns},
                                       {gradients.inputs[0], data.samples * input.elements()}});
}

}  // namespace pipegraph::operators
