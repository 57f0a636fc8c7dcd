// `pipegraph simulate`: every plan of every point, run on the backend, compared, and written to the
// results folder.
#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/exit_code.h"
#include "apps/outcome.h"
#include "apps/progress.h"
#include "apps/report_process.h"
#include "apps/result_table.h"
#include "apps/verb.h"
#include "core/base/files.h"
#include "core/plan/plan_file.h"
#include "core/report/results_folder.h"
#include "core/scenario/json_value.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

const std::vector<std::string> k_timeline_rows{"window", "full"};

Options make_options() {
  Options options(
      {.verb = "simulate",
       .synopsis = "SCENARIO [options]",
       .about = "Makes the plans of a scenario, simulates and compares them. SCENARIO is "
                "a scenario or a plan file.",
       .examples = "  pipegraph simulate scenarios/quickstart.yaml\n"
                   "  pipegraph simulate scenarios/quickstart.yaml --set training.mini_batch=64 "
                   "-o out/small\n"
                   "  pipegraph simulate out/quickstart/plans/graph/plan.yaml --format json\n"});
  add_scenario(options);
  options.add()("output,o", po::value<std::string>()->value_name("DIR"),
                "results folder (default: out/<scenario name>)");
  options.add()("no-report", "leave out pictures and report.html");
  options.add()("timeline", po::value<std::string>()->default_value("window")->value_name("ROWS"),
                "rows of timeline.csv: window (the first 200 000) or full");
  add_format(options);
  return options;
}

PointValue point_value(const YamlValue& value) {
  const nlohmann::ordered_json json = to_json(value);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return to_short_text(value);
}

/// Carries out a study, writing each plan's files as it goes.
class StudyRun {
 public:
  StudyRun(const Study& study, const ResultsFolder& folder, TimelineRows rows,
           const Console& console)
      : study_(study), folder_(folder), rows_(rows), console_(console) {}

  std::vector<PointResult> all() {
    std::vector<PointResult> results;
    const std::size_t plans = read_scenario(study_.points.front().document).plans.size();
    Progress progress(console_, study_.points.size() * plans);
    for (std::size_t i = 0; i < study_.points.size(); ++i)
      results.push_back(point(i, progress, i * plans));
    return results;
  }

  const std::set<std::string>& notes() const { return notes_; }

 private:
  PointResult point(std::size_t index, Progress& progress, std::size_t first_step) {
    const Setup setup = set_up(study_.points[index]);
    PointResult result;
    for (const auto& [path, value] : study_.points[index].settings)
      result.point.emplace_back(path, point_value(value));
    for (const PlanRequest& request : setup.scenario.plans) {
      progress.begin(first_step + result.plans.size(), request.name);
      Outcome outcome = carry_out(request, setup, progress);
      write(outcome, setup, index);
      notes_.insert(outcome.notes.begin(), outcome.notes.end());
      result.plans.push_back(std::move(outcome.result));
    }
    return result;
  }

  void write(const Outcome& outcome, const Setup& setup, std::size_t index) const {
    if (!outcome.plan) return;
    const auto point = study_.swept() ? std::optional(index) : std::nullopt;
    const std::filesystem::path folder = folder_.plan_folder(outcome.plan->name, point);
    const Scenario& scenario = setup.scenario;
    write_file(folder / "plan.yaml",
               plan_file_text(*outcome.plan, *setup.workload.graph,
                              {scenario.model, scenario.cluster, scenario.training}));
    if (outcome.timeline) write_run(folder, report_of(outcome, setup), rows_);
  }

  const Study& study_;
  const ResultsFolder& folder_;
  TimelineRows rows_;
  const Console& console_;
  std::set<std::string> notes_;
};

/// The report is an addition: without a Python for it the results still stand.
int add_report(const std::filesystem::path& folder, const Console& console) {
  if (!can_draw_report()) {
    print_note(console,
               "no pictures: no Python can import numpy, matplotlib and jinja2 (--no-report leaves "
               "them out without a word)");
    return ExitDone;
  }
  return draw_report(folder, {"--quiet"});
}

std::filesystem::path output_folder(const Study& study, const po::variables_map& values) {
  if (const auto path = path_of(values, "output")) return *path;
  return std::filesystem::path("out") / folder_name(study.name);
}

}  // namespace

int run_simulate(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const auto rows = static_cast<TimelineRows>(choice_of(*values, "timeline", k_timeline_rows));
  const Study study = load_study(*values);
  const std::filesystem::path target = output_folder(study, *values);
  ResultsFolder folder = ResultsFolder::create(target);
  write_file(folder.path() / "scenario.yaml", portable_text(study.document));
  StudyRun run(study, folder, rows, console);
  const std::vector<PointResult> results = run.all();
  folder.write_summary(study.name, results);
  folder.commit();
  for (const std::string& note : run.notes()) print_note(console, note);
  print_result(console, results_in(format, study.name, results));
  const int drawn = values->count("no-report") > 0 ? ExitDone : add_report(target, console);
  print_message(console, fmt::format("results: {}\n", target.string()));
  if (drawn != ExitDone) return drawn;
  return any_ok(results) ? ExitDone : ExitNo;
}

}  // namespace pipegraph
