// Whether a stage graph's devices exist: the one check that needs the cluster.
#pragma once

#include "core/cluster/topology.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

/// Errors: ConfigError at the first stage that names a device the cluster does not have.
void check_placement(const StageGraph& stages, const Topology& topology);

}  // namespace pipegraph
