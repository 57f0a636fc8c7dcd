// Each candidate micro-batch size as far as it can still win, with less memory or fewer devices
// where the final count refuses what is proposed.
#pragma once

#include "core/planners/candidates.h"

namespace pipegraph {

/// What best_rated_proposal returns, where its planner placed it first.
std::variant<RatedPlan, Infeasible> search_sizes(const Workload& workload,
                                                 const PlannerOptions& options,
                                                 const Propose& propose);

}  // namespace pipegraph
