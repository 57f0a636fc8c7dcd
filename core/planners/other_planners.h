// The plans of all other planners for a workload: candidates of one that is never worse than they.
#pragma once

#include <vector>

#include "core/planners/planner.h"

namespace pipegraph {

struct OtherPlannersOptions {
  /// Pairs of downsets that `piper` may look at; beyond, its best plan so far counts.
  std::uint64_t piper_pairs = 100'000'000;
};

/// With their own options at their defaults: graphpipe and balanced of either kind (of chains only
/// if `options.kind` is sequential), and the planners of chains. `exhaustive`, which refuses large
/// graphs, is asked where none of them finds a plan that fits.
std::vector<PlannerResult> plans_of_others(const Workload& workload, const PlannerOptions& options,
                                           const OtherPlannersOptions& limits);

}  // namespace pipegraph
