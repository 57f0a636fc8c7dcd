// What a program must hold to be the program of this plan: nothing left out, nothing twice, and
// every wait that correctness needs is there.
#pragma once

#include "core/program/problems.h"
#include "core/program/program.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

void check_plan_rules(const Program& program, const Workload& workload, const StageGraph& stages,
                      Problems& problems);

}  // namespace pipegraph
