// The bottleneck of any plan, measured alike whoever made it: what stands beside each planner's own
// objective.
#pragma once

#include <cstdint>

#include "core/cluster/topology.h"
#include "core/program/program.h"

namespace pipegraph {

/// Seconds per sample of the device that passes and messages keep busy longest: its forwards and
/// backwards, and every message it sends or receives, alone on its route; reductions and optimizer
/// left out. `mini_batch`: samples.
Seconds busiest_device(const Program& program, const Topology& topology, std::int32_t mini_batch);

}  // namespace pipegraph
