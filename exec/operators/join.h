// Operators without parameters where branches meet or rows are averaged.
#pragma once

#include "exec/kernels/dot_interaction.h"
#include "exec/kernels/join.h"
#include "exec/operators/operator.h"
#include "exec/operators/products.h"

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

/// Sizes of an interaction, and its scratch: the inputs stacked, their gradients, the products.
template <class T>
struct Interaction {
  kernels::InteractionShape shape;
  std::int64_t samples;
  T *stacked, *gradients, *products;
  std::int64_t stacked_elements() const { return samples * shape.count * shape.width; }
  std::int64_t product_elements() const { return samples * shape.count * shape.count; }
  std::int64_t output_elements() const { return samples * shape.columns(); }
};

/// With the inputs stacked.
template <ArithmeticDevice D>
Interaction<typename D::Scalar> stack_inputs(D& device, const OperatorShape& shape,
                                             const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const auto count = static_cast<std::int64_t>(shape.inputs.size());
  const std::int64_t width = shape.inputs.front().columns;
  Interaction<T> all{{count, width}, data.samples, data.scratch, nullptr, nullptr};
  all.gradients = all.stacked + all.stacked_elements();
  all.products = all.gradients + all.stacked_elements();
  for (std::int64_t i = 0; i < count; ++i)
    device.rows(data.samples,
                kernels::CopyStrip<T>{
                    width,
                    {{data.inputs[static_cast<std::size_t>(i)], data.samples * width}, 0, width},
                    {{all.stacked, all.stacked_elements()}, i * width, count * width}});
  return all;
}

template <ArithmeticDevice D>
void forward_interaction(D& device, const OperatorShape& shape,
                         const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const Interaction<T> all = stack_inputs(device, shape, data);
  const auto [count, width] = all.shape;
  device.gemm_strided_batched(Gemm<T>{count,
                                      count,
                                      width,
                                      {all.stacked, width},
                                      {all.stacked, width, Transpose::Yes},
                                      all.products,
                                      count},
                              {data.samples, count * width, count * width, count * count});
  device.rows(data.samples * count, kernels::PickProducts<T>{all.shape,
                                                             {all.stacked, all.stacked_elements()},
                                                             {all.products, all.product_elements()},
                                                             {data.output, all.output_elements()}});
}

template <ArithmeticDevice D>
void backward_interaction(D& device, const OperatorShape& shape,
                          const OperatorData<typename D::Scalar>& data,
                          const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const Interaction<T> all = stack_inputs(device, shape, data);
  const auto [count, width] = all.shape;
  const kernels::View<const T> gradient{gradients.output, all.output_elements()};
  device.rows(
      data.samples * count,
      kernels::SpreadProducts<T>{all.shape, gradient, {all.products, all.product_elements()}});
  device.gemm_strided_batched(
      Gemm<T>{
          count, width, count, {all.products, count}, {all.stacked, width}, all.gradients, width},
      {data.samples, count * count, count * width, count * width});
  const kernels::View<T> stacked{all.gradients, all.stacked_elements()};
  device.rows(data.samples, kernels::AddFirstGradient<T>{all.shape, gradient, stacked});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto input = static_cast<std::size_t>(i);
    if (shape.inputs[input].needs_gradient)
      device.rows(data.samples, kernels::CopyStrip<T>{
                                    width,
                                    {stacked, i * width, count * width},
                                    {{gradients.inputs[input], data.samples * width}, 0, width}});
  }
}

}  // namespace pipegraph::operators
