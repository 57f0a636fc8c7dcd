// `pipegraph crosscheck`: profile, plan, simulate, run and compare in one command.
#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/backends.h"
#include "apps/checked_plan.h"
#include "apps/comparison.h"
#include "apps/device_kinds.h"
#include "apps/exit_code.h"
#include "apps/interruption.h"
#include "apps/output_file.h"
#include "apps/profiling.h"
#include "apps/report_process.h"
#include "apps/verb.h"
#include "core/base/files.h"
#include "core/plan/plan_file.h"
#include "core/report/results_folder.h"
#include "exec/cores.h"
#include "exec/measure/operator_profile.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

constexpr int k_fewest_blocks = 4;
constexpr int k_fewest_steps = 20;
constexpr int k_most = 1 << 24;  ///< blocks or steps

Options make_options() {
  Options options(
      {.verb = "crosscheck",
       .synopsis = "SCENARIO [options]",
       .about = "Profiles this machine, makes the scenario's plans, simulates and runs them, and "
                "compares predicted with measured times. Profile and measurement take turns in "
                "blocks; what was disturbed is repeated. Exit code 1 out of the tolerance or "
                "without a verdict. docs/crosscheck.md says what is measured.",
       .examples = "  pipegraph crosscheck scenarios/two_towers.yaml\n"
                   "  pipegraph crosscheck scenarios/two_towers.yaml --tolerance 10 --blocks 8\n"});
  add_scenario(options);
  options.add()("output,o", po::value<std::string>()->value_name("DIR"),
                "results folder (default: out/<scenario name>-crosscheck)");
  add_measured_devices(options);
  options.add()("blocks", po::value<int>()->default_value(k_fewest_blocks)->value_name("N"),
                "blocks of profile and measurement, 4 to 16777216");
  options.add()("steps", po::value<int>()->default_value(24)->value_name("N"),
                "steps of each plan that count, 20 to 16777216");
  add_tolerance(options);
  options.add()("no-report", "leave out pictures");
  add_format(options);
  return options;
}

int count_from(int least, const po::variables_map& values, const std::string& name) {
  const int number = values[name].as<int>();
  if (number >= least && number <= k_most) return number;
  throw ConfigError(
      {.file = "--" + name},
      fmt::format("{} is too {} to judge by", number, number < least ? "few" : "many"),
      fmt::format("{} to {}", least, k_most));
}

/// All that a cross-check goes through, in this order.
class Crosscheck {
 public:
  Crosscheck(const Study& study, const MeasuredDevices& devices, const Console& console)
      : study_(study),
        devices_(devices),
        console_(console),
        setup_(set_up(study.points.point(0), costing_of(devices.backend))) {
    check_requests(setup_.scenario.plans, setup_);
    if (devices.backend == MeasuredBackend::Cpu)
      check_precision(device_kind("cpu"), setup_.workload.training.precision);
  }

  void profile_machine();
  void make_plans();
  void run(int blocks, int steps);
  /// predicted/, measured/ and costs.yaml below `folder`.
  void write(const std::filesystem::path& folder);

 private:
  void predict_with(const CostFile& file, const std::string& name);
  void note_shared_gpus(const CheckedPlan& plan) const;
  void write_results(const std::filesystem::path& target,
                     const std::vector<Outcome>& outcomes) const;

  const Study& study_;
  MeasuredDevices devices_;
  const Console& console_;
  Setup setup_;
  CostFile costs_;
  std::vector<std::unique_ptr<Outcome>> plans_;
  std::vector<std::unique_ptr<CheckedPlan>> checked_;
};

bool needs_operators(const Scenario& scenario) {
  return !scenario.costs && std::ranges::any_of(scenario.plans, [](const PlanRequest& request) {
    return request.source == PlanRequest::Source::Planner;
  });
}

void Crosscheck::profile_machine() {
  const ComputationGraph& graph = *setup_.workload.graph;
  Progress progress(console_, 1);
  progress.begin(0, "machine");
  costs_ = new_cost_file(graph, devices_.backend, setup_.workload.training.precision);
  measure_machine(costs_, devices_.backend, setup_.workload.training);
  if (devices_.backend == MeasuredBackend::Emulated) return;
  if (needs_operators(setup_.scenario)) {
    OperatorProfileOptions options;
    options.samples = usual_sample_counts(setup_.workload.training.mini_batch);
    options.threads = usable_cores().size();
    options.precision = setup_.workload.training.precision;
    auto& done = progress.parts(options.samples.size());
    options.advanced = [&] { ++done; };
    costs_.operators = measure_operators(graph, devices_.backend, options);
  }
  predict_with(costs_, "costs.yaml");
}

/// From here on plans are made and simulated with these costs.
void Crosscheck::predict_with(const CostFile& file, const std::string& name) {
  const CostsRequest request = setup_.scenario.costs.value_or(
      CostsRequest{.value = YamlValue::parse(name, name), .file = YamlValue::parse(name, name)});
  setup_.costs = MeasuredCosts{.file = file, .request = request, .name = name};
  use_costs(*setup_.costs, setup_.scenario, setup_.workload);
  Simulation& simulation = setup_.scenario.simulation;
  if (!file.overlap && !simulation.backend_named) simulation.backend = BackendKind::Threads;
  if (simulation.backend == BackendKind::Threads && simulation.cores == 0)
    simulation.cores = static_cast<std::int32_t>(usable_cores().size());
}

void Crosscheck::make_plans() {
  Progress progress(console_, setup_.scenario.plans.size());
  for (const PlanRequest& request : setup_.scenario.plans) {
    progress.begin(plans_.size(), request.name);
    Outcome outcome = carry_out(request, setup_, progress, preparing());
    for (const std::string& note : outcome.notes) print_note(console_, note);
    plans_.push_back(std::make_unique<Outcome>(std::move(outcome)));
    if (plans_.back()->result.status == PlanStatus::Ok)
      checked_.push_back(std::make_unique<CheckedPlan>(*plans_.back(), setup_, devices_));
    else
      checked_.push_back(nullptr);
    if (checked_.back()) note_shared_gpus(*checked_.back());
  }
}

/// Of cores a prediction knows how many there are.
void Crosscheck::note_shared_gpus(const CheckedPlan& plan) const {
  if (devices_.backend != MeasuredBackend::Cuda || plan.devices() <= plan.units()) return;
  print_note(console_,
             fmt::format("{}: oversubscribed: {} devices share {} GPU{}; predictions do not model "
                         "that their kernels share it, and compute faster than was measured",
                         plan.name(), plan.devices(), plan.units(), plan.units() == 1 ? "" : "s"));
}

void Crosscheck::run(int blocks, int steps) {
  constexpr int k_rounds = 3;
  const int per_block = (steps + blocks - 1) / blocks;
  Progress progress(console_, static_cast<std::size_t>(blocks));
  for (auto& plan : checked_)
    if (plan) plan->warm_up();
  for (int block = 0; block < blocks; ++block) {
    progress.begin(static_cast<std::size_t>(block), "blocks");
    for (auto& plan : checked_) {
      if (!plan) continue;
      plan->profile(k_rounds);
      plan->measure(per_block);
    }
  }
}

void Crosscheck::write(const std::filesystem::path& folder) {
  std::vector<Outcome> measured, predicted;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    measured.push_back(checked_[i] ? checked_[i]->measured() : *plans_[i]);
    if (checked_[i]) costs_.plans.push_back(checked_[i]->profiled());
  }
  std::vector<bool> ran;
  for (auto& plan : checked_) {
    ran.push_back(plan != nullptr);
    plan.reset();  // simulations fork, and must not do so among threads
  }
  if (const std::string note = note_of_disturbance(costs_); !note.empty())
    print_note(console_, note);
  write_file(folder / "costs.yaml", to_yaml_text(costs_));
  predict_with(costs_, "costs.yaml");
  if (const std::string note = note_of_choice(setup_.scenario.simulation); !note.empty())
    print_note(console_, note);
  Progress progress(console_, plans_.size());
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    progress.begin(i, plans_[i]->result.name);
    predicted.push_back(*plans_[i]);
    if (ran[i]) simulating().run(predicted.back(), setup_, progress);
  }
  write_results(folder / "predicted", predicted);
  write_results(folder / "measured", measured);
}

void Crosscheck::write_results(const std::filesystem::path& target,
                               const std::vector<Outcome>& outcomes) const {
  ResultsFolder folder = ResultsFolder::create(target);
  write_file(folder.path() / "scenario.yaml", portable_text(study_.document));
  PointResult point;
  for (const Outcome& outcome : outcomes) {
    point.plans.push_back(outcome.result);
    if (!outcome.plan) continue;
    const std::filesystem::path place = folder.plan_folder(outcome.plan->name);
    write_file(place / "plan.yaml",
               plan_file_text(*outcome.plan, *setup_.workload.graph, origin_of(setup_.scenario)));
    if (outcome.timeline) write_run(place, report_of(outcome, setup_));
  }
  folder.write_summary(study_.name, {point});
  folder.commit();
}

Study load_checked_study(const po::variables_map& values) {
  Study study = load_study(values);
  if (!study.points.empty())
    throw ConfigError({.file = study.document.position().file}, "a sweep is not cross-checked",
                      "a scenario without sweep, or --set sweep={}");
  return study;
}

std::filesystem::path output_folder(const Study& study, const po::variables_map& values) {
  if (const auto path = path_of(values, "output")) return *path;
  return std::filesystem::path("out") / (folder_name(study.name) + "-crosscheck");
}

int draw(const std::filesystem::path& folder, const Console& console) {
  if (!can_draw_report()) {
    print_note(console, "no pictures: no Python can import numpy, matplotlib and jinja2");
    return ExitDone;
  }
  return draw_comparison(folder / "predicted", folder / "measured", folder);
}

}  // namespace

int run_crosscheck(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const auto tolerance = tolerance_of(*values);
  const MeasuredDevices devices = measured_devices_of(*values);
  const int blocks = count_from(k_fewest_blocks, *values, "blocks");
  const int steps = count_from(k_fewest_steps, *values, "steps");
  const Study study = load_checked_study(*values);
  const std::filesystem::path target = output_folder(study, *values);
  GuardedResults results(target);
  Crosscheck check(study, devices, console);
  check.profile_machine();
  check.make_plans();
  check.run(blocks, steps);
  check.write(results.folder().path());
  results.commit();
  Comparison comparison =
      compare_results(load_results(target / "predicted"), load_results(target / "measured"));
  comparison.tolerance = tolerance;
  write_output_file(target / "comparison.json", comparison_in(OutputFormat::Json, comparison));
  print_result(console, comparison_in(format, comparison));
  const int drawn = values->count("no-report") > 0 ? ExitDone : draw(target, console);
  print_message(console, fmt::format("results: {}\n", target.string()));
  return drawn != ExitDone ? drawn : exit_code_of(comparison.verdict());
}

}  // namespace pipegraph
