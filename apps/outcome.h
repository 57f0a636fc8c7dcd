// One plan at one point, all the way: made, validated, run on a backend, explained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/plan_making.h"
#include "apps/progress.h"
#include "core/report/plan_result.h"

namespace pipegraph {

/// `plan` if there is one, `prepared` if it could be lowered, `timeline` if it ran.
struct Outcome {
  PlanResult result;
  std::optional<Plan> plan;
  std::optional<PreparedPlan> prepared;
  std::optional<Timeline> timeline;
  std::vector<std::string> notes;  ///< each names the plan, unless it is about all
};

/// Makes and runs the plan of `request`, in the present step of `progress`. Errors: ConfigError.
Outcome carry_out(const PlanRequest& request, const Setup& setup, Progress& progress);

/// What is derived from an outcome that ran. `outcome` and `setup` must outlive it.
RunReport report_of(const Outcome& outcome, const Setup& setup);

}  // namespace pipegraph
