// What planners do that keep one search for all micro-batch sizes: propose by it, and say how the
// plan was found, or what it would take.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/passes.h"

namespace pipegraph {

/// best_proposal() of `search`, which has `propose`, a `report` of all sizes together for the
/// chosen plan's, and `fewest_devices_at`, a text for the smallest size that does not fit, or
/// nothing.
template <class Search>
PlannerResult best_of_search(const Workload& workload, const PlannerOptions& options,
                             std::string_view planner, Search& search) {
  PlannerResult result = best_proposal(workload, options, planner,
                                       [&](std::int32_t micro_batch, const LeftFree& left_free) {
                                         return search.propose(micro_batch, left_free);
                                       });
  if (auto* plan = std::get_if<Plan>(&result)) {
    plan->search = search.report(*plan->search);
    return result;
  }
  const std::int32_t mini_batch = workload.training.mini_batch;
  const std::int32_t size = micro_batch_candidates(options, mini_batch).front();
  if (too_many_passes(least_passes(size, mini_batch))) return result;  // on any devices
  const std::string fewest = search.fewest_devices_at(size);
  if (!fewest.empty()) std::get<Infeasible>(result).reason += "; " + fewest;
  return result;
}

}  // namespace pipegraph
