// `pipegraph simulate`: every plan of every point, run on the backend, compared, and written to the
// results folder.
#include "apps/exit_code.h"
#include "apps/study_run.h"
#include "apps/verb.h"

namespace pipegraph {
namespace {

Options make_options() {
  Options options(
      {.verb = "simulate",
       .synopsis = "SCENARIO [options]",
       .about = "Makes the plans of a scenario, simulates and compares them. SCENARIO is "
                "a scenario or a plan file.",
       .examples =
           "  pipegraph simulate scenarios/quickstart.yaml\n"
           "  pipegraph simulate scenarios/quickstart.yaml --set training.mini_batch=64 "
           "-o out/small\n"
           "  pipegraph simulate out/quickstart/plans/graphpipe/plan.yaml --format json\n"});
  add_scenario(options);
  add_results_options(options);
  return options;
}

}  // namespace

int run_simulate(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  return carry_out_study(load_study(*values), *values, simulating(), console);
}

}  // namespace pipegraph
