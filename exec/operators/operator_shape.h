// The shape of one operator as executors see it: what it computes and what its inputs look like.
// From it follow the sizes of everything an operator touches.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/computation_graph.h"

namespace pipegraph {

/// An input of [rows, columns] per sample.
struct InputShape {
  std::int64_t rows = 1;
  std::int64_t columns = 0;
  bool needs_gradient = true;
  bool operator==(const InputShape&) const = default;
  std::int64_t elements() const { return rows * columns; }
};

struct OperatorShape {
  OperatorArithmetic arithmetic;  ///< holds the output's shape
  std::vector<InputShape> inputs;
  bool operator==(const OperatorShape&) const = default;
  std::int64_t output_elements() const { return arithmetic.rows * arithmetic.columns; }
};

OperatorShape operator_shape(const ComputationGraph& graph, OperatorId id);

/// Elements per sample that the forward leaves for the backward besides inputs and output;
/// Operator::internal in elements.
std::int64_t internal_elements(const OperatorShape& shape);

/// Of a linear operator: elements of its activation's gradient, where no place of their own is
/// kept.
std::int64_t masked_elements(const OperatorShape& shape, std::int64_t samples);

/// Elements of 4 bytes that either pass may overwrite while it runs on `samples` samples; nothing
/// is kept in them between calls.
std::int64_t scratch_elements(const OperatorShape& shape, std::int64_t samples);

/// Whether elements of the output are 4-byte whole numbers: indices into a table.
bool yields_indices(const OperatorArithmetic& arithmetic);

/// Whether it is a sink that gives one loss per sample.
bool is_loss(const OperatorArithmetic& arithmetic);

/// Errors: ConfigError at the operator's position for a graph that executors cannot run: an
/// operator without arithmetic, or whose bytes are not those of its shape at `element` bytes each
/// (4 for indices and losses).
void check_executable(const ComputationGraph& graph, Bytes element = Bytes{4});

}  // namespace pipegraph
