// From an entry of `plans:` to a plan: read, or made by its planner.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "apps/study.h"
#include "core/planners/planner.h"

namespace pipegraph {

struct MadePlan {
  PlannerResult plan;
  std::vector<std::string> notes;
};

/// Errors: ConfigError for an unknown planner, bad options, or a plan that contradicts itself.
MadePlan make_plan(const PlanRequest& request, const Setup& setup);

/// Reads the request without planning. Errors: as make_plan.
void check_request(const PlanRequest& request, const Setup& setup);

/// All of them, so that none is planned for before another is found wrong. Errors: as make_plan.
void check_requests(const std::vector<PlanRequest>& requests, const Setup& setup);

/// How the scenario's simulations treat communication.
EvaluationOptions evaluation_options(const Simulation& simulation);

}  // namespace pipegraph
