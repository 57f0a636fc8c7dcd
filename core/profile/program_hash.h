// Names for what was measured: two programs, or two models, of one hash do the same work in the
// same order. Times are not part of it.
#pragma once

#include <string>

#include "core/program/program.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// 16 hexadecimal digits; the same on every machine.
std::string model_hash(const ComputationGraph& graph);

/// Of all instructions without their times, what they wait on, their lanes, groups and payloads,
/// the operators of every stage, and the training.
std::string program_hash(const Workload& workload, const StageGraph& stages,
                         const Program& program);

}  // namespace pipegraph
