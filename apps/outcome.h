// One plan at one point, all the way: made, validated, run on a backend, explained.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/plan_making.h"
#include "core/report/plan_result.h"

namespace pipegraph {

/// `plan` if there is one, `prepared` if it could be lowered, `timeline` if it ran.
struct Outcome {
  PlanResult result;
  std::optional<Plan> plan;
  std::optional<PreparedPlan> prepared;
  std::optional<Timeline> timeline;
  std::vector<std::string> notes;
};

/// Makes and runs the plan of `request`. Errors: ConfigError.
Outcome carry_out(const PlanRequest& request, const Setup& setup);

/// What is derived from an outcome that ran. `outcome` and `setup` must outlive it.
RunReport report_of(const Outcome& outcome, const Setup& setup);

}  // namespace pipegraph
