// `pipegraph validate`: everything that can be known of a scenario without planning or running.
#include <fmt/format.h>

#include "apps/exit_code.h"
#include "apps/plan_making.h"
#include "apps/refusals.h"
#include "apps/text_table.h"
#include "apps/verb.h"

namespace pipegraph {
namespace {

/// What validation says of one plan: verdict and reason.
struct Finding {
  std::string verdict;
  std::string reason;
  bool ok = true;
};

Finding examine(const PlanRequest& request, const Setup& setup) {
  if (request.source == PlanRequest::Source::Planner) {
    check_request(request, setup);
    return {.verdict = "to be planned"};
  }
  const MadePlan made = make_plan(request, setup);
  const PreparedPlan prepared = prepare(setup.workload, std::get<Plan>(made.plan),
                                        evaluation_options(setup.scenario.simulation));
  if (prepared.status != PlanStatus::Ok && !(prepared.status == PlanStatus::OutOfMemory &&
                                             setup.scenario.memory == MemoryPolicy::Report))
    return {std::string(to_text(prepared.status)), prepared.reason, false};
  return {.verdict = fmt::format("ok, {}", to_text(prepared.validation.verdict))};
}

/// A row of the table.
struct Examined {
  std::string name;
  std::string planner;
  Finding finding;
};

/// What is impossible at one point of several is a finding.
std::vector<Examined> examine_point(const SweepPoint& point, Refusals& refusals) {
  std::optional<Setup> setup;
  if (const auto reason = refusals.reason([&] { setup = set_up(point); }))
    return {{"(all)", "", {"impossible", *reason, false}}};
  std::vector<Examined> plans;
  for (const PlanRequest& request : setup->scenario.plans) {
    Finding finding;
    const auto reason = refusals.reason([&] { finding = examine(request, *setup); });
    if (reason)
      finding = {"impossible", *reason, false};
    else
      refusals.something_was_possible();
    plans.push_back({request.name, request.planner, std::move(finding)});
  }
  return plans;
}

}  // namespace

int run_validate(Arguments arguments, const Console& console) {
  Options options({.verb = "validate",
                   .synopsis = "SCENARIO [options]",
                   .about =
                       "Reads a scenario at every point of its sweep with its model and cluster; "
                       "lowers and checks the plans that stand in it. Nothing is planned or run.",
                   .examples = "  pipegraph validate scenarios/quickstart.yaml\n"});
  add_scenario(options);
  add_format(options);
  const auto values = options.parse(arguments, console);
  if (!values) return ExitDone;
  const OutputFormat format = format_of(*values);
  const Study study = load_study(*values);
  TextTable table({{"point"},
                   {"plan", TextTable::Align::Left},
                   {"planner", TextTable::Align::Left},
                   {"verdict", TextTable::Align::Left},
                   {"reason", TextTable::Align::Left}});
  bool ok = true;
  Refusals refusals(study.points.size());
  for (std::size_t i = 0; i < study.points.size(); ++i)
    for (const Examined& plan : examine_point(study.points.point(i), refusals)) {
      ok = ok && plan.finding.ok;
      table.add_row({fmt::format("{}", i), plan.name, plan.planner, plan.finding.verdict,
                     plan.finding.reason});
    }
  refusals.finish();
  print_result(console, table.in(format));
  return ok ? ExitDone : ExitNo;
}

}  // namespace pipegraph
