// Keys of a scenario. What the model, the cluster and a planner's options mean is read elsewhere.
#include "core/scenario/scenario.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/collective/collective.h"
#include "core/plan/plan_file.h"
#include "core/plan/training_text.h"
#include "core/scenario/plan_of_file.h"

namespace pipegraph {
namespace {

constexpr std::array k_backends{BackendKind::SimGrid, BackendKind::Analytic, BackendKind::Threads};
constexpr std::array k_networks{NetworkKind::Ideal, NetworkKind::Lv08, NetworkKind::Smpi,
                                NetworkKind::Ib};
constexpr std::array k_modes{SimulationMode::Auto, SimulationMode::Full};

/// One of `values`, by its text; `otherwise` if there is no value.
template <class Values>
typename Values::value_type choice_or(const std::optional<YamlValue>& value, const Values& values,
                                      typename Values::value_type otherwise) {
  if (!value) return otherwise;
  std::vector<std::string> names;
  for (const auto& choice : values) names.emplace_back(to_text(choice));
  return values[value->as_choice(names)];
}

std::string read_collective(const YamlValue& value) {
  std::vector<std::string> names;
  for (const CollectiveEntry& entry : collective_table()) names.emplace_back(entry.name);
  return names[value.as_choice(names)];
}

std::int32_t read_cores(const YamlValue& value, const Simulation& simulation) {
  if (simulation.backend != BackendKind::Threads)
    value.fail("only devices that are threads share cores", "cores beside backend: threads");
  return static_cast<std::int32_t>(value.as_integer(1, std::numeric_limits<std::int32_t>::max()));
}

Simulation read_simulation(const YamlValue& value) {
  MapReader reader(value, "simulation");
  Simulation result;
  const auto backend = reader.optional("backend");
  result.backend_named = backend.has_value();
  result.backend = choice_or(backend, k_backends, result.backend);
  result.network = choice_or(reader.optional("network"), k_networks, result.network);
  result.mode = choice_or(reader.optional("mode"), k_modes, result.mode);
  if (const auto overlap = reader.optional("overlap")) result.overlap = overlap->as_bool();
  if (const auto collective = reader.optional("collective"))
    result.collective = read_collective(*collective);
  if (const auto cores = reader.optional("cores")) result.cores = read_cores(*cores, result);
  reader.finish();
  return result;
}

/// A path, or `{file: F, ...}`.
CostsRequest read_costs(const YamlValue& value) {
  if (!value.is_map()) return {.value = value, .file = value};
  MapReader reader(value, "costs");
  CostsRequest costs{.value = value, .file = reader.required("file")};
  if (const auto extrapolate = reader.optional("extrapolate"))
    costs.extrapolate = extrapolate->as_bool();
  if (const auto any = reader.optional("any_machine")) costs.any_machine = any->as_bool();
  reader.finish();
  return costs;
}

std::optional<CostsRequest> costs_or_none(const std::optional<YamlValue>& value) {
  return value ? std::optional(read_costs(*value)) : std::nullopt;
}

std::string text_or(const std::optional<YamlValue>& value, const std::string& otherwise) {
  return value ? value->as_string() : otherwise;
}

/// A name stands in tables, one line a row.
void check_printable(const std::string& name, const YamlValue& at) {
  if (std::ranges::any_of(name, [](unsigned char c) { return std::iscntrl(c) != 0; }))
    at.fail("the name has a line break or another control character", "a name of one line");
}

PlanRequest read_plan_of_file(const YamlValue& value) {
  const YamlValue plan = plan_of_file(value);
  const std::string planner = text_or(plan.find("planner"), "manual");
  const auto name = value.find("name");
  return {.name = name ? name->as_string() : text_or(plan.find("name"), planner),
          .planner = planner,
          .source = PlanRequest::Source::Given,
          .value = plan};
}

PlanRequest read_request(const YamlValue& value) {
  if (!value.is_map()) value.fail("is not a map", "a plan, e.g. {planner: balanced}");
  if (value.find("file")) return read_plan_of_file(value);
  const auto planner = value.find("planner");
  if (!planner)
    value.fail("the plan has neither 'planner' nor 'file'",
               "e.g. {planner: balanced}, {planner: manual, stages: ...} or {file: plan.yaml}");
  const std::string name = planner->as_string();
  return {.name = text_or(value.find("name"), name),
          .planner = name,
          .source = name == "manual" ? PlanRequest::Source::Given : PlanRequest::Source::Planner,
          .value = value};
}

std::vector<PlanRequest> read_plans(const YamlValue& list) {
  std::vector<PlanRequest> plans;
  for (const YamlValue& item : list.items()) {
    PlanRequest request = read_request(item);
    if (request.name.empty()) item.fail("the plan's name is empty", "a name");
    check_printable(request.name, item);
    for (const PlanRequest& other : plans)
      if (other.name == request.name)
        item.fail(fmt::format("two plans are named '{}'", request.name),
                  "'name:' with a name of its own");
    plans.push_back(std::move(request));
  }
  if (plans.empty()) list.fail("there is no plan", "at least one, e.g. {planner: balanced}");
  return plans;
}

MemoryPolicy read_memory(const YamlValue& value) {
  return static_cast<MemoryPolicy>(value.as_choice(std::vector<std::string>{"error", "report"}));
}

Scenario scenario_of_plan_file(const YamlValue& document) {
  const auto simulation = document.find("simulation");
  const auto memory = document.find("memory");
  const PlanDocument parts = read_plan_document(document.without("simulation").without("memory"));
  if (!parts.plan.is_map()) parts.plan.fail("is not a map", "a plan as a map of keys");
  const std::string planner = text_or(parts.plan.find("planner"), "manual");
  const std::string name = text_or(parts.plan.find("name"), planner);
  return {.name = name,
          .model = parts.origin.model,
          .cluster = parts.origin.cluster,
          .training = parts.origin.training,
          .plans = {{.name = name,
                     .planner = planner,
                     .source = PlanRequest::Source::Given,
                     .value = parts.plan}},
          .simulation = simulation ? read_simulation(*simulation) : Simulation(),
          .memory = memory ? read_memory(*memory) : MemoryPolicy(),
          .costs = costs_or_none(parts.origin.costs)};
}

}  // namespace

std::string_view to_text(BackendKind backend) {
  constexpr std::array<std::string_view, 3> k_names{"simgrid", "analytic", "threads"};
  return k_names[static_cast<std::size_t>(backend)];
}

std::string_view to_text(NetworkKind network) {
  constexpr std::array<std::string_view, 4> k_names{"ideal", "lv08", "smpi", "ib"};
  return k_names[static_cast<std::size_t>(network)];
}

std::string_view to_text(SimulationMode mode) {
  constexpr std::array<std::string_view, 2> k_names{"auto", "full"};
  return k_names[static_cast<std::size_t>(mode)];
}

Scenario read_scenario(const YamlValue& document) {
  if (is_plan_document(document)) return scenario_of_plan_file(document);
  MapReader reader(document, "a scenario");
  const std::string stem = std::filesystem::path(document.position().file).stem().string();
  const auto name = reader.optional("name");
  Scenario scenario{.name = text_or(name, stem),
                    .model = reader.required("model"),
                    .cluster = reader.required("cluster"),
                    .training = read_training(reader.required("training")),
                    .plans = read_plans(reader.required("plans"))};
  if (name && scenario.name.empty()) name->fail("the name is empty", "a name");
  if (name) check_printable(scenario.name, *name);
  if (const auto simulation = reader.optional("simulation"))
    scenario.simulation = read_simulation(*simulation);
  scenario.costs = costs_or_none(reader.optional("costs"));
  if (const auto memory = reader.optional("memory")) scenario.memory = read_memory(*memory);
  reader.finish();
  return scenario;
}

}  // namespace pipegraph
