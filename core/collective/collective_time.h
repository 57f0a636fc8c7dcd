// What a step list costs on a cluster when nothing else uses its links.
#pragma once

#include <span>

#include "core/cluster/topology.h"
#include "core/collective/collective.h"

namespace pipegraph {

/// The nodes of `devices`, which must be devices of `topology`.
CollectiveMembers collective_members(std::span<const DeviceId> devices, const Topology& topology);

/// Time from the last member's arrival to the end of the last step; `devices` by member index.
/// Steps of the list that share a link do not slow each other down.
Seconds collective_time(const StepList& list, std::span<const DeviceId> devices,
                        const Topology& topology);

}  // namespace pipegraph
