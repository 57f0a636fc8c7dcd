// How much a program moves over each link; a property of program, routes and collectives alone.
#pragma once

#include <vector>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"

namespace pipegraph {

/// Bytes by link id, all transfers and steps of collectives added up. Errors: those of
/// CollectiveSchedules.
std::vector<double> link_bytes(const Program& program, const Topology& topology,
                               const CollectiveOptions& options = {});

}  // namespace pipegraph
