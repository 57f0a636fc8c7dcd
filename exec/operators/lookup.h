// Embeddings, bags of them, and learned positions.
#pragma once

#include "exec/kernels/embedding.h"
#include "exec/operators/column_sums.h"
#include "exec/operators/operator.h"

namespace pipegraph::operators {

/// An embedding or bag for all samples.
struct Lookup {
  std::int64_t columns;  ///< of the table
  std::int64_t pooled;   ///< lookups added up in one row of the output
  std::int64_t lookups;
  std::int64_t table_elements;
  std::int64_t output_rows() const { return lookups / pooled; }
  std::int64_t output_elements() const { return output_rows() * columns; }
};

inline Lookup lookup_of(const OperatorShape& shape, std::int64_t samples) {
  const OperatorArithmetic& op = shape.arithmetic;
  if (op.kind == Arithmetic::Embedding)
    return {op.columns, 1, samples * op.rows, op.table_rows * op.columns};
  const bool sums = op.pooling == Pooling::Sum;
  const std::int64_t columns = sums ? op.columns : op.columns / op.indices;
  return {columns, sums ? op.indices : 1, samples * op.indices, op.table_rows * columns};
}

template <ArithmeticDevice D>
void forward_lookup(D& device, const OperatorShape& shape,
                    const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const Lookup l = lookup_of(shape, data.samples);
  device.rows(l.output_rows(), kernels::EmbeddingForward<T>{l.columns,
                                                            l.pooled,
                                                            {data.indices, l.lookups},
                                                            {data.parameters, l.table_elements},
                                                            {data.output, l.output_elements()}});
}

template <ArithmeticDevice D>
void backward_weight_lookup(D& device, const OperatorShape& shape,
                            const OperatorData<typename D::Scalar>& data,
                            const OperatorGradients<typename D::Scalar>& gradients) {
  using T = typename D::Scalar;
  const Lookup l = lookup_of(shape, data.samples);
  device.rows(D::k_table_pieces,
              kernels::EmbeddingBackward<T>{l.columns,
                                            l.pooled,
                                            D::k_table_pieces,
                                            {data.indices, l.lookups},
                                            {gradients.output, l.output_elements()},
                                            {gradients.parameters, l.table_elements}});
}

template <ArithmeticDevice D>
void forward_positions(D& device, const OperatorShape& shape,
                       const OperatorData<typename D::Scalar>& data) {
  using T = typename D::Scalar;
  const OperatorArithmetic& op = shape.arithmetic;
  const std::int64_t elements = data.samples * shape.output_elements();
  device.rows(data.samples * op.rows,
              kernels::AddPositions<T>{op.rows,
                                       op.columns,
                                       {data.inputs[0], elements},
                                       {data.parameters, shape.output_elements()},
                                       {data.output, elements}});
}

template <ArithmeticDevice D>
void backward_weight_positions(D& device, const OperatorShape& shape,
                               const OperatorData<typename D::Scalar>& data,
                               const OperatorGradients<typename D::Scalar>& gradients) {
  add_column_sums(device, {data.samples, shape.output_elements()}, gradients.output,
                  {gradients.parameters, data.scratch});
}

}  // namespace pipegraph::operators
