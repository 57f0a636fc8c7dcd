#include "exec/operators/parameter_layout.h"

#include <cmath>

namespace pipegraph {

namespace {

class Layout {
 public:
  void add(std::string_view name, std::int64_t rows, std::int64_t columns, InitialValues initial) {
    tensors_.push_back({name, offset_, rows, columns, initial});
    offset_ += rows * columns;
  }
  std::vector<ParameterTensor> take() { return std::move(tensors_); }

 private:
  std::vector<ParameterTensor> tensors_;
  std::int64_t offset_ = 0;
};

/// Uniform with the variance of 1 / (3 inputs), the usual choice for layers with biases.
InitialValues weights_of(std::int64_t inputs) {
  return {.bound = 1.0 / std::sqrt(static_cast<double>(inputs))};
}

constexpr InitialValues k_zeros{};
constexpr InitialValues k_ones{.constant = 1.0};
/// Small, so that a head tied to the table begins with nearly equal probabilities.
constexpr InitialValues k_embedding{.bound = 0.05};

std::int64_t table_columns(const OperatorArithmetic& op) {
  const bool side_by_side = op.kind == Arithmetic::EmbeddingBag && op.pooling == Pooling::Concat;
  return side_by_side ? op.columns / op.indices : op.columns;
}

}  // namespace

std::vector<ParameterTensor> parameter_layout(const OperatorShape& shape) {
  const OperatorArithmetic& op = shape.arithmetic;
  Layout layout;
  switch (op.kind) {
    case Arithmetic::Linear:
      layout.add("weight", op.columns, shape.inputs.front().columns,
                 weights_of(shape.inputs.front().columns));
      if (op.bias) layout.add("bias", 1, op.columns, k_zeros);
      break;
    case Arithmetic::LayerNorm:
      layout.add("gain", 1, op.columns, k_ones);
      layout.add("offset", 1, op.columns, k_zeros);
      break;
    case Arithmetic::Attention:
      layout.add("projection_weight", 3 * op.columns, op.columns, weights_of(op.columns));
      if (op.bias) layout.add("projection_bias", 1, 3 * op.columns, k_zeros);
      layout.add("output_weight", op.columns, op.columns, weights_of(op.columns));
      if (op.bias) layout.add("output_bias", 1, op.columns, k_zeros);
      break;
    case Arithmetic::Embedding:
    case Arithmetic::EmbeddingBag:
      layout.add("table", op.table_rows, table_columns(op), k_embedding);
      break;
    case Arithmetic::PositionEmbedding:
      layout.add("positions", op.rows, op.columns, k_embedding);
      break;
    default:
      break;
  }
  return layout.take();
}

}  // namespace pipegraph
