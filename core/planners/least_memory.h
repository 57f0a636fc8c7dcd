// What a stage's devices need at least, from its operators and its order alone: enough to refuse
// most plans that do not fit without lowering them.
#pragma once

#include "core/schedule/schedule.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// No more than what some device of the stage needs: parameters with gradients and state, and what
/// the stage keeps of the samples in flight, spread evenly; transfers are left out.
Bytes least_memory(const Workload& workload, const Stage& stage, const StageSchedule& order);

/// Whether some stage of the plan needs more than this part of what its devices have. `orders` are
/// by stage id.
bool exceeds_memory(const Workload& workload, const StageGraph& stages,
                    const std::vector<StageSchedule>& orders, double part = 1.0);

}  // namespace pipegraph
