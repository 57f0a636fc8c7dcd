// From places to devices: which real device takes which place of a planned stage graph, so that the
// mini-batch's messages take the least time.
#pragma once

#include <vector>

#include "core/planners/planner.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Stages whose `devices` are places 0 .. n-1 (n <= devices of the cluster), on real devices:
/// place i on device i, then exchanges of two devices of the same kind, unused ones included, as
/// long as they lower the transfer time. Clusters too large for that keep place i on device i.
std::vector<Stage> place(const Workload& workload, std::vector<Stage> stages,
                         const PlannerOptions& options);

/// Time of all messages of a mini-batch one after the other on an idle cluster; what `place`
/// minimises.
Seconds transfer_time(const Workload& workload, const StageGraph& stages);

}  // namespace pipegraph
