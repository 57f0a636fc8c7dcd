// One plan at one point, all the way: made, validated, run on a backend, explained.
#pragma once

#include <cstdint>
#include <functional>
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

/// How a plan that is ready is carried out: fills `timeline`, if it makes one, and the figures of
/// the result. `ignored`: what may be wrong with a plan that is carried out all the same.
/// `results`: Kept are written and printed; of a job of several ranks one keeps them. `check`
/// refuses what no plan would make right, before one is made. `refused`: whether a plan that turns
/// out to be impossible while it is carried out, at one point of several, lets the others go on; on
/// several ranks it must not, since they may not agree.
struct PlanRunner {
  enum class Ignored : std::uint8_t { Nothing, Deadlocks };
  enum class Results : std::uint8_t { Kept, Dropped };
  enum class Refused : std::uint8_t { EndsAll, IsARow };
  std::function<void(Outcome& outcome, const Setup& setup, Progress& progress)> run;
  Ignored ignored = Ignored::Nothing;
  Results results = Results::Kept;
  std::function<void(const Setup& setup)> check = [](const Setup&) {};
  Refused refused = Refused::EndsAll;
};

/// Simulates on the scenario's backend, with measured costs if there are any.
PlanRunner simulating();
/// Leaves the plan ready to be carried out later.
PlanRunner preparing();

/// Puts measured times into the program of an outcome, and tells where its times come from. Errors:
/// those of with_costs.
void apply_costs(Outcome& outcome, const Setup& setup);

/// Refuses what is wrong with a point whatever the plan. Errors: ConfigError.
void check_point(const Setup& setup, const PlanRunner& runner);

/// Makes the plan of `request` and carries it out, in the present step of `progress`. Errors:
/// ConfigError, and those of the runner.
Outcome carry_out(const PlanRequest& request, const Setup& setup, Progress& progress,
                  const PlanRunner& runner = simulating());

/// What is known of a plan's memory without a timeline.
void add_memory(PlanResult& result, const PreparedPlan& prepared, const Topology& topology);

/// What is derived from an outcome that ran. `outcome` and `setup` must outlive it.
RunReport report_of(const Outcome& outcome, const Setup& setup);

/// Adds what devices say after a run to the notes, under the plan's name.
void note_devices(const std::vector<std::string>& notes, Outcome& outcome);

}  // namespace pipegraph
