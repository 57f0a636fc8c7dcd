#include "apps/plan_making.h"

#include <chrono>
#include <string_view>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "core/plan/plan_reader.h"
#include "core/planners/options.h"
#include "core/planners/table.h"

namespace pipegraph {
namespace {

const PlannerEntry& planner_named(const YamlValue& value) {
  const YamlValue planner = value.find("planner").value();
  if (const PlannerEntry* entry = find_planner(planner.as_string())) return *entry;
  std::vector<std::string> names;
  for (const PlannerEntry& entry : planner_table()) names.emplace_back(entry.name);
  names.emplace_back("manual");
  planner.fail(fmt::format("there is no planner '{}'", planner.as_string()),
               expected_one_of(planner.as_string(), names));
}

ConfiguredPlanner read_configured(const PlanRequest& request, const Setup& setup) {
  MapReader reader(request.value, "a plan");
  reader.required("planner");
  ConfiguredPlanner planner = read_planner(reader, planner_named(request.value));
  reader.finish();
  planner.options.name = request.name;
  planner.options.evaluation = evaluation_options(setup.scenario.simulation);
  return planner;
}

/// What a planner or a schedule says of options without knowing where they stand is told of the
/// plan that has them. Errors: ConfigError.
PlannerResult planned(const ConfiguredPlanner& planner, const PlanRequest& request,
                      const Setup& setup) {
  try {
    return planner.run(setup.workload, planner.options);
  } catch (const ConfigError& error) {
    if (error.where().line > 0) throw;
    const std::string_view text = error.what();
    constexpr std::string_view before_remedy = "; expected ";
    const std::size_t end = text.rfind(before_remedy);
    if (end == std::string_view::npos) throw;
    request.value.fail(fmt::format("plan '{}': {}", request.name, text.substr(0, end)),
                       std::string(text.substr(end + before_remedy.size())));
  }
}

MadePlan read_given(const PlanRequest& request, const Setup& setup) {
  PlanReading reading = read_plan(request.value, setup.workload);
  reading.plan.name = request.name;
  return {.plan = std::move(reading.plan), .notes = std::move(reading.notes)};
}

}  // namespace

EvaluationOptions evaluation_options(const Simulation& simulation) {
  return {.overlap = simulation.overlap, .collectives = {.algorithm = simulation.collective}};
}

MadePlan make_plan(const PlanRequest& request, const Setup& setup) {
  if (request.source == PlanRequest::Source::Given) return read_given(request, setup);
  ConfiguredPlanner planner = read_configured(request, setup);
  const auto begin = std::chrono::steady_clock::now();
  planner.options.elapsed = [begin] { return Seconds{std::chrono::steady_clock::now() - begin}; };
  MadePlan made{.plan = planned(planner, request, setup), .notes = {}};
  if (Plan* plan = std::get_if<Plan>(&made.plan)) {
    if (!plan->search) plan->search.emplace();
    plan->search->time = std::chrono::steady_clock::now() - begin;
    made.notes = plan->search->notes;
  }
  return made;
}

void check_request(const PlanRequest& request, const Setup& setup) {
  if (request.source == PlanRequest::Source::Given)
    read_given(request, setup);
  else
    read_configured(request, setup);
}

}  // namespace pipegraph
