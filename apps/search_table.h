// How the plans of a comparison were found, as a table below it: each planner's own objective, what
// the common evaluator makes of the plan, how far it may be from the optimum, and the search's
// work.
#pragma once

#include <string>
#include <vector>

#include "core/report/plan_result.h"

namespace pipegraph {

/// Empty if no plan comes from a search.
std::string search_text(const std::vector<PlanResult>& plans);

}  // namespace pipegraph
