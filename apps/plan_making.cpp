#include "apps/plan_making.h"

#include <chrono>
#include <string_view>

#include "apps/processor_time.h"
#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "core/plan/plan_reader.h"
#include "core/planners/option_checks.h"
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

/// Tells of an option where it stands, or else of the plan, by its name. Errors: ConfigError.
[[noreturn]] void place(const ConfigError& error, const PlanRequest& request) {
  std::string_view text = error.what();
  constexpr std::string_view before_remedy = "; expected ";
  const std::size_t end = text.rfind(before_remedy);
  if (end == std::string_view::npos) throw error;
  const std::string remedy(text.substr(end + before_remedy.size()));
  text = text.substr(0, end);
  const std::string& key = error.where().key;
  const auto option = key.empty() ? std::nullopt : request.value.find(key);
  if (option) text.remove_prefix(key.size() + 2);  // "key: ", which the place names as well
  const YamlValue& at = option ? *option : request.value;
  at.fail(fmt::format("plan '{}': {}", request.name, text), remedy);
}

/// `tell()`, whose errors do not know where an option stands.
template <class Tell>
auto placed(const PlanRequest& request, const Tell& tell) {
  try {
    return tell();
  } catch (const ConfigError& error) {
    if (error.where().line > 0) throw;
    place(error, request);
  }
}

/// With options that contradict neither each other nor the workload. Errors: ConfigError.
ConfiguredPlanner checked(const PlanRequest& request, const Setup& setup) {
  ConfiguredPlanner planner = read_configured(request, setup);
  placed(request, [&] { check_options(planner.run, setup.workload, planner.options); });
  return planner;
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
  ConfiguredPlanner planner = checked(request, setup);
  const auto begin = std::chrono::steady_clock::now();
  planner.options.elapsed = [begin] { return Seconds{std::chrono::steady_clock::now() - begin}; };
  const Seconds before = processor_time();
  MadePlan made{
      .plan = placed(request, [&] { return planner.run(setup.workload, planner.options); }),
      .notes = {}};
  if (Plan* plan = std::get_if<Plan>(&made.plan)) {
    if (!plan->search) plan->search.emplace();
    plan->search->time = processor_time() - before;
    made.notes = plan->search->notes;
  }
  return made;
}

void check_request(const PlanRequest& request, const Setup& setup) {
  if (request.source == PlanRequest::Source::Given)
    read_given(request, setup);
  else
    checked(request, setup);
}

void check_requests(const std::vector<PlanRequest>& requests, const Setup& setup) {
  for (const PlanRequest& request : requests) check_request(request, setup);
}

}  // namespace pipegraph
