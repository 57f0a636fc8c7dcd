// From a workload to the numbers of Piper's search, and from a found plan back to stages.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/planners/search/layer_problem.h"
#include "core/planners/search_input.h"

namespace pipegraph {

/// What is one layer of the search.
enum class Granularity : std::uint8_t {
  Layer,     ///< operators that share a name up to its last dot, where they are convex
  Operator,  ///< every operator
};

struct LayerInputOptions {
  std::int32_t micro_batch = 1;  ///< samples of one replica
  Granularity granularity = Granularity::Operator;
  bool recompute = false;        ///< layers may repeat their forward in the backward
  int most_tensor_parallel = 1;  ///< degrees up to this, where the model gives costs for them
};

struct LayerInput {
  LayerProblem problem;
  SearchInput search;  ///< whose blocks are the layers
};

/// With measured ways (Operator::variants) of all operators of a layer, these; else the workload's
/// own costs. Edges charge as PerConsumer until the caller says otherwise.
LayerInput layer_input(const Workload& workload, const LayerInputOptions& options);

/// Blocks for search_input: layers that are convex and acyclic among each other, the operators of
/// any other alone.
std::vector<std::vector<OperatorId>> layer_blocks(const ComputationGraph& graph);

/// Stages in topological order, on devices 0, 1, ... in that order; a stage's micro-batch is
/// `micro_batch` samples for each replica.
std::vector<Stage> stages_of(const LayerInput& input, const LayerPlan& plan,
                             std::int32_t micro_batch);

}  // namespace pipegraph
