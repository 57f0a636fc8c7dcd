#include "exec/training/data_fields.h"

#include <limits>

namespace pipegraph {
namespace {

/// Tables of more rows than an index can name are only used in part.
std::int32_t bound(std::int64_t rows) {
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(rows, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

std::string_view to_text(DataKind kind) {
  constexpr std::string_view k_names[] = {"features", "indices", "targets", "classes"};
  return k_names[static_cast<std::size_t>(kind)];
}

std::vector<DataField> data_fields(const ComputationGraph& graph) {
  std::vector<DataField> fields;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto id = make_id<OperatorId>(i);
    const Operator& op = graph.at(id);
    DataField field{.op = id, .name = op.name};
    const OperatorArithmetic& shape =
        op.inputs.empty() ? op.arithmetic : graph.at(op.inputs.front()).arithmetic;
    field.rows = shape.rows;
    field.columns = shape.columns;
    if (op.arithmetic.kind == Arithmetic::Input) {
      field.below = bound(op.arithmetic.table_rows);
      field.kind = field.below > 0 ? DataKind::Indices : DataKind::Features;
    } else if (op.arithmetic.kind == Arithmetic::MeanSquaredError) {
      field.kind = DataKind::Targets;
    } else if (op.arithmetic.kind == Arithmetic::CrossEntropy) {
      field.kind = DataKind::Classes;
      field.below = bound(field.columns);
      field.columns = 1;
    } else {
      continue;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace pipegraph
