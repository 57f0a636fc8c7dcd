// What a network reads from outside: one field per input operator and per loss.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/computation_graph.h"
#include "exec/training/tensor_file.h"

namespace pipegraph {

enum class DataKind : std::uint8_t {
  Features,  ///< of an input
  Indices,   ///< of an input that leads to a table
  Targets,   ///< of a mean squared error, shaped like its input
  Classes,   ///< of a cross entropy, one for each row of its input
};
std::string_view to_text(DataKind kind);  ///< "features", "indices", "targets", "classes"

struct DataField {
  OperatorId op;
  std::string name;  ///< the operator's
  DataKind kind = DataKind::Features;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int32_t below = 0;  ///< bound of whole numbers; 0 for real ones
  std::int64_t elements() const { return rows * columns; }  ///< per sample
  ElementType type() const { return below > 0 ? ElementType::Int32 : ElementType::Float32; }
};

/// Ascending by operator.
std::vector<DataField> data_fields(const ComputationGraph& graph);

}  // namespace pipegraph
