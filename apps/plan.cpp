// `pipegraph plan`: the plans of a scenario by their analytic times; the best one to a file.
#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <optional>
#include <string>

#include "apps/exit_code.h"
#include "apps/outcome.h"
#include "apps/output_file.h"
#include "apps/progress.h"
#include "apps/result_table.h"
#include "apps/search_table.h"
#include "apps/verb.h"
#include "core/plan/plan_file.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

Options make_options() {
  Options options(
      {.verb = "plan",
       .synopsis = "SCENARIO [options]",
       .about = "Makes the plans of a scenario and compares them by analytic times (no "
                "link is shared). A sweep needs --point.",
       .examples = "  pipegraph plan scenarios/quickstart.yaml\n"
                   "  pipegraph plan scenarios/quickstart.yaml --plan graphpipe -o graph.yaml\n"});
  add_scenario(options);
  options.add()("plan", po::value<std::string>()->value_name("NAME"),
                "only this plan of the scenario (default: all)");
  options.add()("point", po::value<std::int64_t>()->value_name("INDEX"),
                "the point of the scenario's sweep to take, from 0");
  options.add()("output,o", po::value<std::string>()->value_name("FILE"),
                "write the plan of least iteration time to this file");
  add_format(options);
  return options;
}

std::vector<PlanRequest> chosen_plans(const Scenario& scenario, const po::variables_map& values) {
  if (values.count("plan") == 0) return scenario.plans;
  return {plan_of(scenario, values)};
}

std::optional<std::string> output_file(const po::variables_map& values) {
  auto path = path_of(values, "output");
  if (path) check_output_file(*path, values["SCENARIO"].as<std::string>());
  return path;
}

/// The one that is ok and takes the least time; null if none is.
const Outcome* best_of(const std::vector<Outcome>& outcomes) {
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result.status != PlanStatus::Ok) continue;
    if (best == nullptr ||
        outcome.result.metrics->iteration_time < best->result.metrics->iteration_time)
      best = &outcome;
  }
  return best;
}

/// Each once, however many plans it is about.
void print_notes(const std::vector<Outcome>& outcomes, const Console& console) {
  std::vector<std::string> printed;
  for (const Outcome& outcome : outcomes)
    for (const std::string& note : outcome.notes) {
      if (std::ranges::find(printed, note) != printed.end()) continue;
      print_note(console, note);
      printed.push_back(note);
    }
}

void write_best(const Outcome& best, const Setup& setup, const std::string& path,
                const Console& console) {
  const Scenario& scenario = setup.scenario;
  write_output_file(path, plan_file_text(*best.plan, *setup.workload.graph, origin_of(scenario)));
  print_note(console, fmt::format("wrote plan '{}' to {}", best.plan->name, path));
}

}  // namespace

int run_plan(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const std::optional<std::string> output = output_file(*values);
  const Study study = load_study(*values);
  Setup setup = set_up(point_of(study, *values));
  setup.scenario.simulation.backend = BackendKind::Analytic;
  setup.scenario.simulation.backend_named = true;  // by the verb, whatever is built in
  const std::vector<PlanRequest> requests = chosen_plans(setup.scenario, *values);
  check_requests(requests, setup);
  std::vector<Outcome> outcomes;
  PointResult point;
  {
    Progress progress(console, requests.size());
    for (const PlanRequest& request : requests) {
      progress.begin(outcomes.size(), request.name);
      outcomes.push_back(carry_out(request, setup, progress));
      point.plans.push_back(outcomes.back().result);
    }
  }
  print_notes(outcomes, console);
  std::string text = results_in(format, study.name, {point});
  if (format == OutputFormat::Table)
    if (const std::string searches = search_text(point.plans); !searches.empty())
      text += "\n" + searches;
  print_result(console, text);
  const Outcome* best = best_of(outcomes);
  if (best == nullptr) return ExitNo;
  if (output) write_best(*best, setup, *output, console);
  return ExitDone;
}

}  // namespace pipegraph
