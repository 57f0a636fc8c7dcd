// GraphPipe's problem with micro-batch sizes, and numbers of passes in a row, that differ between
// stages: one search over all candidate sizes at once.
#pragma once

#include <cstddef>
#include <vector>

#include "core/planners/planner.h"
#include "core/planners/search/family.h"

namespace pipegraph {

struct MixedBatchesOptions {
  std::vector<int> ks{1};  ///< forwards, then backwards, in a row that a stage may run
  CommunicationRule communication = CommunicationRule::Sum;
  FamilyOptions family{.complete = 400, .partial = 120};  ///< limits on the ideals
  std::size_t blocks = 48;  ///< larger graphs are contracted to about that many
  std::size_t labels = 64;  ///< kept per ideal; where that drops any, the plan is not exact
};

/// The graph of least maximal time per sample, its objective "max_time_per_sample_s", whose stages
/// take micro-batches of any of the candidate sizes up to one; of the plans for every such limit
/// the one of least iteration time, or, by objective, the one without. `options.kind` must be
/// Graph. The schedule is kfkb where a k above 1 is allowed.
PlannerResult plan_mixed_batches(const Workload& workload, const PlannerOptions& options,
                                 const MixedBatchesOptions& own);

}  // namespace pipegraph
