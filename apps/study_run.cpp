#include "apps/study_run.h"

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/exit_code.h"
#include "apps/interruption.h"
#include "apps/point_text.h"
#include "apps/refusals.h"
#include "apps/report_process.h"
#include "apps/result_table.h"
#include "core/base/files.h"
#include "core/plan/plan_file.h"
#include "core/report/results_folder.h"
#include "core/scenario/json_value.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

const std::vector<std::string> k_timeline_rows{"window", "full"};

PointValue point_value(const YamlValue& value) {
  const nlohmann::ordered_json json = to_json(value);
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return to_short_text(value);
}

/// Carries out a study, writing each plan's files as it goes. At one point of several, what is
/// impossible is a row that says why, and the others go on.
class StudyRun {
 public:
  /// Without a folder nothing is written.
  StudyRun(const Study& study, const ResultsFolder* folder, TimelineRows rows,
           const PlanRunner& runner)
      : study_(study), folder_(folder), rows_(rows), runner_(runner) {}

  std::vector<PointResult> all(const Console& console) {
    std::vector<PointResult> results;
    first_requests_ = first_readable_plans();
    const std::size_t plans = first_requests_.size();
    Progress progress(console, study_.points.size() * plans);
    for (std::size_t i = 0; i < study_.points.size(); ++i)
      results.push_back(point(i, progress, i * plans));
    refusals_.finish();
    return results;
  }

  std::vector<std::string> notes() const { return notes_.texts(study_.points.size()); }

 private:
  /// Of the first point whose scenario can be read: their names stand where another's cannot.
  std::vector<PlanRequest> first_readable_plans() {
    std::vector<PlanRequest> plans;
    for (std::size_t i = 0; plans.empty() && i < study_.points.size(); ++i)
      refusals_.reason([&] { plans = read_scenario(study_.points.point(i).document).plans; });
    if (plans.empty()) refusals_.finish();
    return plans;
  }

  PointResult point(std::size_t index, Progress& progress, std::size_t first_step) {
    const SweepPoint swept = study_.points.point(index);
    PointResult result;
    for (const auto& [path, value] : swept.settings)
      result.point.emplace_back(path, point_value(value));
    std::vector<PlanRequest> requests = first_requests_;
    std::optional<Setup> setup;
    const std::optional<std::string> wrong = refusals_.reason([&] {
      setup = set_up(swept);
      requests = setup->scenario.plans;
      check_point(*setup, runner_);
    });
    std::vector<std::optional<std::string>> reasons(requests.size(), wrong);
    if (!wrong)
      for (std::size_t i = 0; i < requests.size(); ++i)
        reasons[i] = refusals_.reason([&] { check_request(requests[i], *setup); });
    for (std::size_t i = 0; i < requests.size(); ++i) {
      progress.begin(first_step + i, requests[i].name);
      if (!reasons[i]) reasons[i] = carried_out(requests[i], {*setup, index, progress}, result);
      if (reasons[i]) result.plans.push_back(impossible(requests[i], *reasons[i]));
    }
    return result;
  }

  struct At {
    const Setup& setup;
    std::size_t index;
    Progress& progress;
  };

  /// Adds the plan's row to `result`, or returns why there is none.
  std::optional<std::string> carried_out(const PlanRequest& request, const At& at,
                                         PointResult& result) {
    Outcome outcome;
    const auto carry = [&] { outcome = carry_out(request, at.setup, at.progress, runner_); };
    if (runner_.refused == PlanRunner::Refused::EndsAll)
      carry();
    else if (auto reason = refusals_.reason(carry))
      return reason;
    refusals_.something_was_possible();
    write(outcome, at.setup, at.index);
    for (const std::string& note : outcome.notes) notes_.add(note, result);
    result.plans.push_back(std::move(outcome.result));
    return std::nullopt;
  }

  static PlanResult impossible(const PlanRequest& request, const std::string& reason) {
    PlanResult result;
    result.name = request.name;
    result.planner = request.planner;
    result.status = PlanStatus::Infeasible;
    result.reason = reason;
    return result;
  }

  void write(const Outcome& outcome, const Setup& setup, std::size_t index) const {
    if (!outcome.plan || folder_ == nullptr) return;
    const auto point = study_.points.empty() ? std::nullopt : std::optional(index);
    const std::filesystem::path folder = folder_->plan_folder(outcome.plan->name, point);
    const Scenario& scenario = setup.scenario;
    write_file(folder / "plan.yaml",
               plan_file_text(*outcome.plan, *setup.workload.graph, origin_of(scenario)));
    if (outcome.timeline) write_run(folder, report_of(outcome, setup), rows_);
  }

  const Study& study_;
  const ResultsFolder* folder_;
  TimelineRows rows_;
  const PlanRunner& runner_;
  PointNotes notes_;
  std::vector<PlanRequest> first_requests_;  ///< of the first point that can be read
  Refusals refusals_{study_.points.size()};
};

/// The report is an addition: without a Python for it the results still stand.
int add_report(const std::filesystem::path& folder, const Console& console) {
  if (!can_draw_report()) {
    print_note(console,
               "no pictures: no Python can import numpy, matplotlib and jinja2 (--no-report leaves "
               "them out without a word)");
    return ExitDone;
  }
  Progress progress(console, 1);
  progress.begin(0, "pictures and report.html");
  return draw_report(folder, {"--quiet"});
}

}  // namespace

std::filesystem::path output_folder(const Study& study, const po::variables_map& values) {
  if (const auto path = path_of(values, "output")) return *path;
  return std::filesystem::path("out") / folder_name(study.name);
}

PlanRunner::Results results_of(Job& job) {
  return job.reports() ? PlanRunner::Results::Kept : PlanRunner::Results::Dropped;
}

void add_results_options(Options& options) {
  options.add()("output,o", po::value<std::string>()->value_name("DIR"),
                "results folder (default: out/<scenario name>)");
  options.add()("no-report", "leave out pictures and report.html");
  options.add()("timeline", po::value<std::string>()->default_value("window")->value_name("ROWS"),
                "rows of timeline.csv: window (the first 200 000) or full");
  add_format(options);
}

int carry_out_study(const Study& study, const po::variables_map& values, const PlanRunner& runner,
                    const Console& console) {
  const OutputFormat format = format_of(values);
  const auto rows = static_cast<TimelineRows>(choice_of(values, "timeline", k_timeline_rows));
  if (runner.results == PlanRunner::Results::Dropped) {
    StudyRun(study, nullptr, rows, runner).all(console);
    return ExitDone;
  }
  const std::filesystem::path target = output_folder(study, values);
  GuardedResults results_folder(target);
  ResultsFolder& folder = results_folder.folder();
  if (folder.removed_unfinished())
    print_note(console, fmt::format("{}: removed the unfinished results of a run that was killed",
                                    target.string()));
  write_file(folder.path() / "scenario.yaml", portable_text(study.document));
  StudyRun run(study, &folder, rows, runner);
  const std::vector<PointResult> results = run.all(console);
  folder.write_summary(study.name, results);
  results_folder.commit();
  for (const std::string& note : run.notes()) print_note(console, note);
  print_result(console, results_in(format, study.name, results));
  const int drawn = values.count("no-report") > 0 ? ExitDone : add_report(target, console);
  print_message(console, fmt::format("results: {}\n", target.string()));
  if (drawn != ExitDone) return drawn;
  return any_ok(results) ? ExitDone : ExitNo;
}

}  // namespace pipegraph
