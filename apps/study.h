// From a scenario's file to what each point of its sweep trains, on what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/measured_costs.h"
#include "apps/options.h"
#include "core/plan/plan_file.h"
#include "core/scenario/scenario.h"
#include "core/scenario/sweep.h"

namespace pipegraph {

/// A scenario's document with the settings of the command line, and its points.
struct Study {
  std::string name;
  YamlValue document;
  Sweep points;
};

/// Whether computes need times. Untimed: none for plans that the scenario brings along, so that no
/// peak of a device has to be known; planners still need costs.
enum class Costing : std::uint8_t { Timed, Untimed };

/// One point, ready to be planned for.
struct Setup {
  Scenario scenario;
  Workload workload;
  std::optional<MeasuredCosts> costs{};
};

/// Whether it describes a model alone: a family, an import or operators.
bool is_model_document(const YamlValue& document);

/// Adds the positional SCENARIO and `--set`.
void add_scenario(Options& options);

/// Errors: ConfigError.
Study load_study(const boost::program_options::variables_map& values);

/// The only point, or the one that `--point` names. Errors: ConfigError if it is needed and absent.
SweepPoint point_of(const Study& study, const boost::program_options::variables_map& values);

/// What the plans of a scenario are for, as plan files say it.
PlanOrigin origin_of(const Scenario& scenario);

/// Reads scenario, model, cluster and measured costs. Errors: ConfigError.
Setup set_up(const SweepPoint& point, Costing costing = Costing::Timed);

/// Adds `--plan` and `--point`, for verbs that look at one plan.
void add_choice_of_plan(Options& options);

/// The plan `--plan` names, or the first. Errors: ConfigError.
const PlanRequest& plan_of(const Scenario& scenario,
                           const boost::program_options::variables_map& values);

/// The study with the chosen point and the chosen plan only. Errors: as point_of and plan_of.
Study with_choice(const Study& study, const boost::program_options::variables_map& values);

/// The document as YAML that can be read elsewhere: the model's and the cluster's files written
/// into it unless the sweep varies them, other files by absolute path.
std::string portable_text(const YamlValue& document);

}  // namespace pipegraph
