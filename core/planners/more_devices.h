// For planners whose cut follows from the number of devices: the least number on which it fits,
// found by cutting for every number, on devices like those there are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/planners/planner.h"

namespace pipegraph {

/// How a planner cuts a workload at a micro-batch size. `cut` depends on nothing else.
struct CutRule {
  std::function<std::vector<Stage>(const Workload& workload, std::int32_t micro_batch)> cut;
  std::size_t most_devices = 512;  ///< that are tried
};

/// `result`; where it is infeasible and all devices are equal its reason also says what number of
/// devices would do at the smallest micro-batch, by the final count of memory, or that none would.
/// It says nothing of it where that takes too long to find.
PlannerResult with_fewest_devices(PlannerResult result, const Workload& workload,
                                  const PlannerOptions& options, const CutRule& rule);

}  // namespace pipegraph
