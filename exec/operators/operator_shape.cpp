#include "exec/operators/operator_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "exec/operators/column_sums.h"
#include "exec/operators/parameter_layout.h"

namespace pipegraph {

using operators::column_sums_scratch;

namespace {

constexpr Bytes k_wide{4};  // losses and indices, whatever the precision

/// Of the attention's parts per sample: x-shaped tensors, and the probabilities.
std::int64_t probabilities(const OperatorArithmetic& op) { return op.heads * op.rows * op.rows; }

struct Elements {
  std::int64_t count = 0;
  Bytes size;  ///< of one
};

void check_bytes(const Operator& op, std::string_view what, const Elements& elements, Bytes bytes) {
  if (bytes == elements.size * static_cast<std::uint64_t>(elements.count)) return;
  throw ConfigError(op.position,
                    fmt::format("'{}' has {} of {}, which {} elements of {} bytes do not fill",
                                op.name, to_text(bytes), what, elements.count, elements.size.count),
                    "a model of the precision that is trained in");
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

std::int64_t masked_elements(const OperatorShape& shape, std::int64_t samples) {
  const bool masks =
      shape.arithmetic.activation != Activation::None && internal_elements(shape) == 0;
  return masks ? samples * shape.output_elements() : 0;
}

std::int64_t scratch_elements(const OperatorShape& shape, std::int64_t samples) {
  const OperatorArithmetic& op = shape.arithmetic;
  const auto count = static_cast<std::int64_t>(shape.inputs.size());
  switch (op.kind) {
    case Arithmetic::Attention:
      return samples * (3 * shape.output_elements() + probabilities(op));
    case Arithmetic::Linear:
      return masked_elements(shape, samples) +
             (op.bias ? column_sums_scratch({samples * op.rows, op.columns}) : 0);
    case Arithmetic::LayerNorm:  // mean and scale of every row
      return 2 * samples * op.rows + column_sums_scratch({samples * op.rows, op.columns});
    case Arithmetic::PositionEmbedding:
      return column_sums_scratch({samples, shape.output_elements()});
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

void check_executable(const ComputationGraph& graph, Bytes element) {
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
    const bool is_wide = is_loss(op.arithmetic) || yields_indices(op.arithmetic);
    check_bytes(op, "output", {shape.output_elements(), is_wide ? k_wide : element}, op.output);
    check_bytes(op, "parameters", {parameters, element}, op.parameters);
    check_bytes(op, "internal state", {internal_elements(shape), element}, op.internal);
  }
}

}  // namespace pipegraph
