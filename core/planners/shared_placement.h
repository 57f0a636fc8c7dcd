// Where the stages of a finished plan stand once transfers share links: network cards and buses
// that one placement asks twice as much of as another make its iteration longer, although every
// transfer alone takes as long.
#pragma once

#include "core/planners/candidates.h"

namespace pipegraph {

/// The plan, or the same on other devices where that is shorter by a thousandth or more with
/// transfers that share links, and with every transfer alone no longer than `longest` (seconds).
/// Only on equal devices, 64 at most, and for plans of at most 20 000 passes.
RatedPlan placed_for_shared_links(const Workload& workload, const PlannerOptions& options,
                                  RatedPlan rated, double longest);

}  // namespace pipegraph
