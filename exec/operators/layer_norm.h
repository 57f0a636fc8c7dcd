// Layer normalisation; parameters: gain, then offset.
#pragma once

#include "exec/kernels/layer_norm.h"
#include "exec/operators/operator.h"
#include "exec/operators/products.h"

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
  const kernels::View<T> means{data.scratch, rows};
  const kernels::View<T> scales{data.scratch + rows, rows};
  device.rows(rows, kernels::RowMoments<T>{columns, x, means, scales});
  using Term = kernels::GainTerm<T>;
  device.rows(kernels::column_strips(columns),
              kernels::ColumnSums<T, Term>{
                  rows,
                  columns,
                  Term{x, {gradients.output, rows * columns}, means, scales, columns},
                  {gradients.parameters, columns}});
  add_column_sums(device, {rows, columns}, gradients.output, gradients.parameters + columns);
}

}  // namespace pipegraph::operators
