// DLRM's interaction: the inputs stacked, a batched product of the stack with itself, and its parts
// picked; backward, a product of the gradients as a symmetric matrix with the stack.
#pragma once

#include "exec/kernels/dot_interaction.h"
#include "exec/kernels/join.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

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
  Interaction<T> all{{count, width}, data.samples, scratch_of(data), nullptr, nullptr};
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
