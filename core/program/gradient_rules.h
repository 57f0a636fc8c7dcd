// The rules about gradients: all-reduces are those of the plan and come after every contribution,
// optimizer steps update everything stored and come after the reductions.
#pragma once

#include "core/program/problems.h"
#include "core/program/program.h"
#include "core/program/task_index.h"
#include "core/stage/workload.h"

namespace pipegraph {

void check_gradient_rules(const Program& program, const Workload& workload,
                          const StageGraph& stages, const TaskIndex& tasks, Problems& problems);

}  // namespace pipegraph
