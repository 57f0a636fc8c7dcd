// What must hold of each stage by itself and of all together; used by StageGraph alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/stage/stage_graph.h"

namespace pipegraph {

/// "stage 's2'", or "stage 2" where it has no name.
std::string stage_label(std::span<const Stage> stages, StageId id);

/// Device group, micro-batch and options of every stage. Errors: ConfigError at the stage.
void check_each_stage(std::span<const Stage> stages);

/// The stage of every operator. Errors: ConfigError naming operators that are in no stage or in
/// several, and recomputed operators of other stages.
std::vector<StageId> assign_operators(const ComputationGraph& graph, std::span<const Stage> stages);

/// Errors: ConfigError naming a path that leaves a stage and comes back.
void check_convexity(const ComputationGraph& graph, std::span<const Stage> stages);

}  // namespace pipegraph
