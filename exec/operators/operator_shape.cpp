#include "exec/operators/operator_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "exec/operators/parameter_layout.h"

namespace pipegraph {

namespace {

constexpr std::uint64_t k_element_size = 4;  // fp32 values and int32 indices alike

/// Of the attention's parts per sample: x-shaped tensors, and the probabilities.
std::int64_t probabilities(const OperatorArithmetic& op) { return op.heads * op.rows * op.rows; }

void check_bytes(const Operator& op, std::string_view what, std::int64_t elements, Bytes bytes) {
  const Bytes expected{k_element_size * static_cast<std::uint64_t>(elements)};
  if (bytes == expected) return;
  throw ConfigError(op.position,
                    fmt::format("'{}' has {} of {}, which {} elements of 4 bytes do not fill",
                                op.name, to_text(bytes), what, elements),
                    "a model of precision fp32 or fp32_tensor");
}

}  // namespace

OperatorShape operator_shape(const ComputationGraph& graph, OperatorId id) {
  OperatorShape shape{graph.at(id).arithmetic, {}};
  for (OperatorId input : graph.at(id).inputs) {
    const Operator& producer = graph.at(input);
    shape.inputs.push_back(
        {producer.arithmetic.rows, producer.arithmetic.columns, producer.output_needs_gradient});
  }
  return shape;
}

std::int64_t internal_elements(const OperatorShape& shape) {
  const OperatorArithmetic& op = shape.arithmetic;
  if (op.kind == Arithmetic::Attention)  // queries, keys, values, the heads' result
    return 4 * shape.output_elements() + probabilities(op);
  if (op.kind != Arithmetic::Linear) return 0;
  // Without a residual ReLU's mask can be read off the output.
  const bool keeps_argument = op.activation == Activation::Gelu ||
                              (op.activation == Activation::Relu && shape.inputs.size() > 1);
  return keeps_argument ? shape.output_elements() : 0;
}

std::int64_t scratch_elements(const OperatorShape& shape, std::int64_t samples) {
  const OperatorArithmetic& op = shape.arithmetic;
  const auto count = static_cast<std::int64_t>(shape.inputs.size());
  switch (op.kind) {
    case Arithmetic::Attention:
      return samples * (3 * shape.output_elements() + probabilities(op));
    case Arithmetic::Linear: {
      const bool masks = op.activation != Activation::None && internal_elements(shape) == 0;
      return masks ? samples * shape.output_elements() : 0;
    }
    case Arithmetic::LayerNorm:
      return 2 * samples * op.rows;   // mean and scale of every row
    case Arithmetic::DotInteraction:  // the inputs stacked, their gradients, all products
      return samples * count * (2 * shape.inputs.front().columns + count);
    default:
      return 0;
  }
}

bool yields_indices(const OperatorArithmetic& arithmetic) {
  return arithmetic.kind == Arithmetic::Input && arithmetic.table_rows > 0;
}

bool is_loss(const OperatorArithmetic& arithmetic) {
  return arithmetic.kind == Arithmetic::MeanSquaredError ||
         arithmetic.kind == Arithmetic::CrossEntropy;
}

void check_executable(const ComputationGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = make_id<OperatorId>(i);
    const Operator& op = graph.at(id);
    if (op.arithmetic.kind == Arithmetic::Opaque || op.saved)
      throw ConfigError(
          op.position,
          fmt::format("'{}' has costs but no arithmetic, so it cannot be executed", op.name),
          "a model of a family, or the backend 'emulated'");
    const OperatorShape shape = operator_shape(graph, id);
    std::int64_t parameters = 0;
    for (const ParameterTensor& tensor : parameter_layout(shape)) parameters += tensor.elements();
    check_bytes(op, "output", shape.output_elements(), op.output);
    check_bytes(op, "parameters", parameters, op.parameters);
    check_bytes(op, "internal state", internal_elements(shape), op.internal);
  }
}

}  // namespace pipegraph
