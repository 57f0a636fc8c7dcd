// Some devices of a cluster alone: what a plan looks like that leaves the others idle.
#pragma once

#include <vector>

#include "core/planners/planner.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// The workload on `devices` (distinct ids) of its cluster, which become devices 0, 1, ... in that
/// order, with the same links and routes.
Workload on_part_of_cluster(const Workload& workload, const std::vector<DeviceId>& devices);

/// A plan for that on the whole cluster again.
Plan on_whole_cluster(Plan plan, const Workload& whole, const std::vector<DeviceId>& devices);

/// Where devices differ: those that are at least as fast as some one, fastest first, and those that
/// have at least as much memory as some one, without the whole cluster. At most four, those
/// that compute most together. None where devices are equal.
std::vector<std::vector<DeviceId>> better_parts(const Workload& workload);

/// The first node, the first two, the first four, ... but not all; devices in their order.
std::vector<std::vector<DeviceId>> parts_of_nodes(const Topology& topology);

}  // namespace pipegraph
