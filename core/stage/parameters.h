// Which parameters a stage stores, and which are shared between stages because operators are tied.
#pragma once

#include <vector>

#include "core/stage/stage_graph.h"

namespace pipegraph {

/// Owners of the parameters that the stage's operators use, each once, ascending; owners without
/// parameters are left out.
std::vector<OperatorId> parameter_owners(const ComputationGraph& graph, const Stage& stage);

/// Parameters the stage stores on each of its devices; tied ones once.
Bytes parameters_of(const ComputationGraph& graph, const Stage& stage);

/// Parameters that operators of several stages use: their gradients are reduced over the union of
/// the stages' devices once per mini-batch.
struct SharedParameters {
  OperatorId owner;
  Bytes bytes;
  std::vector<StageId> stages;  ///< two or more, ascending
  bool operator==(const SharedParameters&) const = default;
};

/// Ascending by owner.
std::vector<SharedParameters> shared_parameters(const ComputationGraph& graph,
                                                const StageGraph& stages);

}  // namespace pipegraph
