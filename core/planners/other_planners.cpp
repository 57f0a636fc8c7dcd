#include "core/planners/other_planners.h"

#include <algorithm>

#include "core/planners/alpa_inter_op.h"
#include "core/planners/balanced.h"
#include "core/planners/bapipe.h"
#include "core/planners/exhaustive.h"
#include "core/planners/graphpipe.h"
#include "core/planners/pipedream.h"
#include "core/planners/piper.h"
#include "core/planners/uniform.h"

namespace pipegraph {

std::vector<PlannerResult> plans_of_others(const Workload& workload, const PlannerOptions& options,
                                           const OtherPlannersOptions& limits) {
  std::vector<PlannerResult> results;
  PlannerOptions common = options;
  if (options.kind == PlanKind::Graph) {
    results.push_back(plan_graphpipe(workload, common, {}));
    results.push_back(plan_balanced(workload, common));
    results.push_back(plan_uniform(workload, common));
  }
  common.kind = PlanKind::Sequential;
  results.push_back(plan_graphpipe(workload, common, {}));
  results.push_back(plan_balanced(workload, common));
  results.push_back(plan_uniform(workload, common));
  results.push_back(plan_pipedream(workload, common, {}));
  results.push_back(plan_piper(workload, common, {.pairs = limits.piper_pairs}));
  results.push_back(plan_alpa_inter_op(workload, common, {}));
  const bool any_schedule = options.schedule == PlannerOptions{}.schedule;
  results.push_back(any_schedule ? plan_bapipe(workload, common)
                                 : plan_bapipe_by_schedule(workload, common));
  const auto fits = [](const PlannerResult& result) {
    return std::holds_alternative<Plan>(result);
  };
  if (std::ranges::none_of(results, fits)) results.push_back(plan_exhaustive(workload, options));
  return results;
}

}  // namespace pipegraph
