// What a stage keeps per sample from its forward to its backward, from operators alone.
#pragma once

#include <vector>

#include "core/model/computation_graph.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

struct Footprint {
  /// Tensors kept as such, ascending: made by the stage itself, or received. Each stands once,
  /// however many operators keep it.
  std::vector<OperatorId> tensors;
  Bytes given;      ///< kept besides, named by operators outright
  Bytes workspace;  ///< what recomputation makes again and nothing keeps
  /// Gradients that the first part of a split backward makes and the weights' part needs: those of
  /// outputs of operators with parameters that the stage itself reads. Others come from outside.
  Bytes inner_gradients;

  bool keeps(OperatorId tensor) const;
};

/// Operators that are recomputed keep their segment's inputs only.
Footprint footprint(const ComputationGraph& graph, const Stage& stage);

}  // namespace pipegraph
