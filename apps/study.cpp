#include "apps/study.h"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>

#include "apps/backends.h"
#include "core/base/nearest.h"
#include "core/base/yaml_scalar.h"
#include "core/scenario/settings.h"
#include "core/stage/mini_batch_bytes.h"
#include "models/model_reader.h"
#include "topologies/cluster_reader.h"

namespace pipegraph {

namespace po = boost::program_options;

namespace {

bool sweeps_file_of(const YamlValue& document, const std::string& part) {
  for (const std::string& path : swept_paths(document))
    if (path == part || path == part + ".file" || path == part + ".import") return true;
  return false;
}

SourcePosition place_of_mini_batch(const YamlValue& document) {
  return document.find("training").value().key_position("mini_batch");
}

YamlValue with_absolute_plan_files(YamlValue document) {
  const auto plans = document.find("plans");
  if (!plans || !plans->is_sequence()) return document;
  const std::vector<YamlValue> items = plans->items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto file = items[i].is_map() ? items[i].find("file") : std::nullopt;
    if (!file || !file->is_scalar()) continue;
    const std::string absolute = std::filesystem::absolute(file->as_path()).string();
    document =
        document.with(fmt::format("plans[{}].file", i), to_yaml_scalar(absolute), "plan file");
  }
  return document;
}

/// Of a scenario its own; of a plan file the plan's, so that the results of two do not meet in one
/// folder.
std::optional<std::string> name_of(const YamlValue& document) {
  if (!document.is_map()) return std::nullopt;
  const auto of = is_plan_document(document) ? document.find("plan") : document;
  const auto name = of && of->is_map() ? of->find("name") : std::nullopt;
  return name && name->is_scalar() ? std::optional(name->as_string()) : std::nullopt;
}

}  // namespace

bool is_model_document(const YamlValue& document) {
  if (!document.is_map() || document.find("model") || document.find("plans") ||
      document.find("plan"))
    return false;
  return document.find("operators") || document.find("family") || document.find("import");
}

void add_scenario(Options& options) {
  options.add_positional("SCENARIO");
  options.add()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE"),
                "replace a value of the scenario, e.g. training.mini_batch=64; may be repeated");
}

void add_choice_of_plan(Options& options) {
  options.add()("plan", po::value<std::string>()->value_name("NAME"),
                "the plan of the scenario to take (default: the first)");
  options.add()("point", po::value<std::int64_t>()->value_name("INDEX"),
                "the point of the scenario's sweep to take, from 0");
}

Study load_study(const po::variables_map& values) {
  const std::filesystem::path path = values["SCENARIO"].as<std::string>();
  const YamlValue document = with_settings(YamlValue::load(path), texts_of(values, "set"));
  if (is_model_document(document))
    throw ConfigError({.file = path.string()},
                      "is a model, which says nothing of a cluster or plans",
                      fmt::format("a scenario with 'model: {{file: {}}}', cluster, training and "
                                  "plans (scenarios/ has some to copy from)",
                                  path.string()));
  Sweep points(document);
  return {.name = name_of(document).value_or(path.stem().string()),
          .document = document,
          .points = std::move(points)};
}

SweepPoint point_of(const Study& study, const po::variables_map& values) {
  const std::size_t count = study.points.size();
  if (values.count("point") == 0) {
    if (count == 1) return study.points.point(0);
    throw ConfigError({.file = study.document.position().file},
                      fmt::format("the sweep has {} points", count),
                      fmt::format("--point 0 ... {}, or --set sweep={{}}", count - 1));
  }
  const auto index = values["point"].as<std::int64_t>();
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw ConfigError({.file = "--point"}, fmt::format("there is no point {}", index),
                      fmt::format("0 to {}", count - 1));
  return study.points.point(static_cast<std::size_t>(index));
}

PlanOrigin origin_of(const Scenario& scenario) {
  PlanOrigin origin{scenario.model, scenario.cluster, scenario.training};
  if (scenario.costs) origin.costs = scenario.costs->value;
  return origin;
}

Setup set_up(const SweepPoint& point, Costing costing) {
  Setup setup{.scenario = read_scenario(point.document)};
  const Scenario& scenario = setup.scenario;
  Workload& workload = setup.workload;
  workload.graph = std::make_shared<const ComputationGraph>(
      read_model(scenario.model, scenario.training.precision));
  check_mini_batch_bytes(*workload.graph, scenario.training, place_of_mini_batch(point.document));
  workload.topology = std::make_shared<const Topology>(read_cluster(scenario.cluster));
  workload.costs = std::make_shared<const RooflineCosts>(*workload.graph);
  const bool given = std::ranges::all_of(scenario.plans, [](const PlanRequest& request) {
    return request.source == PlanRequest::Source::Given;
  });
  if (costing == Costing::Untimed && given) workload.costs = std::make_shared<const FreeCosts>();
  workload.training = scenario.training;
  do_without_simgrid(setup.scenario.simulation);
  setup.costs = load_costs(scenario, *workload.graph);
  if (!setup.costs) return setup;
  use_costs(*setup.costs, scenario, workload);
  Simulation& simulation = setup.scenario.simulation;
  if (!setup.costs->file.overlap && !simulation.backend_named)
    simulation.backend = BackendKind::Threads;
  return setup;
}

const PlanRequest& plan_of(const Scenario& scenario, const po::variables_map& values) {
  if (values.count("plan") == 0) return scenario.plans.front();
  const auto name = values["plan"].as<std::string>();
  std::vector<std::string> names;
  for (const PlanRequest& request : scenario.plans) {
    if (request.name == name) return request;
    names.push_back(request.name);
  }
  throw ConfigError({.file = "--plan"}, fmt::format("the scenario has no plan '{}'", name),
                    expected_one_of(name, names));
}

Study with_choice(const Study& study, const po::variables_map& values) {
  SweepPoint point = point_of(study, values);
  YamlValue& document = point.document;
  const Scenario scenario = read_scenario(document);
  const std::string name = plan_of(scenario, values).name;
  const auto plans = document.find("plans");
  // A plan file has no list.
  for (std::size_t i = 0; plans && i < scenario.plans.size(); ++i)
    if (scenario.plans.size() > 1 && scenario.plans[i].name == name)
      document =
          document.with("plans", "[null]", "--plan").with("plans[0]", plans->items()[i], "--plan");
  Study one = study;
  one.points = Sweep(std::move(point));
  return one;
}

std::string portable_text(const YamlValue& document) {
  YamlValue result = with_absolute_plan_files(document);
  for (const std::string part : {"model", "cluster"}) {
    const auto value = document.find(part);
    if (value && !sweeps_file_of(document, part))
      result = result.with(part, with_file_inlined(*value), "scenario");
  }
  const auto costs = document.find("costs");
  if (costs && !sweeps_file_of(document, "costs"))
    result = result.with("costs", with_absolute_costs(*costs), "scenario");
  return result.to_yaml_text();
}

}  // namespace pipegraph
