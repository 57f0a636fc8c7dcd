// Layer normalisation; parameters: gain, then offset.
#pragma once

#include "exec/kernels/layer_norm.h"
#include "exec/operators/column_sums.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

template <ArithmeticDevice D>
void forward_layer_norm(D& device, const OperatorShape& shape,
                        const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const std::int64_t columns = shape.arithmetic.columns;
  const std::int64_t rows = data.samples * shape.arithmetic.rows;
  device.rows(rows, kernels::LayerNormForward<T>{columns,
                                                 {data.inputs[0], rows * columns},
                                                 {data.parameters, columns},
                                                 {data.parameters + columns, columns},
                                                 {data.output, rows * columns}});
}

template <ArithmeticDevice D>
void backward_input_layer_norm(D& device, const OperatorShape& shape,
                               const OperatorData<typename D::Scalar>& data,
                               const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  if (!shape.inputs[0].needs_gradient) return;
  const std::int64_t columns = shape.arithmetic.columns;
  const std::int64_t rows = data.samples * shape.arithmetic.rows;
  device.rows(rows, kernels::LayerNormBackwardInput<T>{columns,
                                                       {data.inputs[0], rows * columns},
                                                       {data.parameters, columns},
                                                       {gradients.output, rows * columns},
                                                       {gradients.inputs[0], rows * columns}});
}

template <ArithmeticDevice D>
void backward_weight_layer_norm(D& device, const OperatorShape& shape,
                                const OperatorData<typename D::Scalar>& data,
                                const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const std::int64_t columns = shape.arithmetic.columns;
  const std::int64_t rows = data.samples * shape.arithmetic.rows;
  const kernels::View<const T> x{data.inputs[0], rows * columns};
  using W = kernels::Wide<T>;
  const kernels::View<W> means{data.scratch, rows};
  const kernels::View<W> scales{data.scratch + rows, rows};
  W* const scratch = data.scratch + 2 * rows;
  device.rows(rows, kernels::RowMoments<T>{columns, x, means, scales});
  const kernels::GainTerm<T> gain{x, {gradients.output, rows * columns}, means, scales, columns};
  add_term_sums<W>(device, {rows, columns}, gain, {gradients.parameters, scratch});
  add_column_sums(device, {rows, columns}, gradients.output,
                  {gradients.parameters + columns, scratch});
}

}  // namespace pipegraph::operators
