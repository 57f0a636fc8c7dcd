// `pipegraph validate`: everything that can be known of a scenario without planning or running.
#include <fmt/format.h>

#include "apps/exit_code.h"
#include "apps/plan_making.h"
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
  for (std::size_t i = 0; i < study.points.size(); ++i) {
    const Setup setup = set_up(study.points.point(i));
    for (const PlanRequest& request : setup.scenario.plans) {
      const Finding finding = examine(request, setup);
      ok = ok && finding.ok;
      table.add_row(
          {fmt::format("{}", i), request.name, request.planner, finding.verdict, finding.reason});
    }
  }
  print_result(console, table.in(format));
  return ok ? ExitDone : ExitNo;
}

}  // namespace pipegraph
