// `pipegraph run`: executes the plans of a scenario on devices, and measures them.
#include <boost/program_options/value_semantic.hpp>

#include "apps/execution.h"
#include "apps/exit_code.h"
#include "apps/gpu_flags.h"
#include "apps/run_options.h"
#include "apps/run_text.h"
#include "apps/study_run.h"
#include "apps/training_flags.h"
#include "apps/training_run.h"
#include "apps/verb.h"
#include "core/base/errors.h"

namespace pipegraph {
namespace {

namespace po = boost::program_options;

Options make_options() {
  Options options(
      {.verb = "run",
       .synopsis = "SCENARIO --backend NAME [options]",
       .about = "Executes the plans of a scenario step by step and measures them. SCENARIO is a "
                "scenario or a plan file. docs/running.md says what is measured and what happens "
                "when something fails.",
       .examples =
           "  pipegraph run scenarios/quickstart.yaml --backend emulated --trace\n"
           "  pipegraph run out/quickstart/plans/graphpipe/plan.yaml --backend emulated "
           "--real-time\n"
           "  pipegraph run scenarios/quickstart.yaml --backend emulated --program program.txt\n"});
  add_scenario(options);
  add_execution_options(options);
  options.add()("no-validate", "emulated: execute what can never end, to see where it gets stuck");
  options.add()("program", po::value<std::string>()->value_name("FILE"),
                "emulated: execute a program in text form (as 'show program' prints it) on the "
                "scenario's cluster, instead of its plans");
  add_choice_of_plan(options);
  add_training_options(options);
  add_results_options(options);
  return options;
}

void note_tracing(const MeasuredTimes& times, Outcome& outcome) {
  if (!times.traced) return;
  const Seconds difference = times.traced->median - times.untraced.median;
  outcome.notes.push_back(fmt::format(
      "{}: tracing changes the median of a step by {:+.3g} s ({:+.2g} %)", outcome.result.name,
      difference.count(), 100.0 * difference.count() / times.untraced.median.count()));
}

/// Cores are those of the affinity mask; GPUs of this rank.
void note_sharing(const ExecutionRequest& request, std::size_t units, Outcome& outcome) {
  if (request.kind->computes == Computes::No) return;
  const bool on_gpus = request.kind->name == "cuda";
  const std::size_t devices = on_gpus ? request.job->devices(*outcome.prepared->program).size()
                                      : outcome.prepared->stages.devices().size();
  if (on_gpus) outcome.result.oversubscribed = devices > units;
  if (devices <= units) return;
  outcome.notes.push_back(
      fmt::format("{}: {} devices share {}: the times are this machine's rather than the plan's",
                  outcome.result.name, devices,
                  on_gpus ? fmt::format("{} GPU{}", units, units == 1 ? "" : "s")
                          : fmt::format("{} cores (affinity mask)", units)));
}

PlanRunner executing(const ExecutionRequest& request, PlanRunner::Ignored ignored) {
  const auto run = [request](Outcome& outcome, const Setup& setup, Progress& progress) {
    if (request.kind->name == "emulated") apply_costs(outcome, setup);
    const PreparedPlan& prepared = *outcome.prepared;
    const DeviceContext context{
        .workload = setup.workload,
        .stages = prepared.stages,
        .program = *prepared.program,
        .collectives = evaluation_options(setup.scenario.simulation).collectives,
        .emulated_time = request.emulated_time};
    auto& stepped = progress.parts(static_cast<std::uint64_t>(request.warm_up) +
                                   static_cast<std::uint64_t>(request.steps));
    Executed executed = execute(context, request, [&] { ++stepped; });
    outcome.result.backend = request.kind->name;
    // A program that should not have ended has no memory that a report could be made from.
    if (!prepared.memory.devices.empty()) outcome.timeline = std::move(executed.timeline);
    if (request.kind->arithmetic != nullptr)
      outcome.notes.push_back(
          fmt::format("{}: {}", request.kind->name, request.kind->arithmetic()));
    add_memory(outcome.result, prepared, *setup.workload.topology);
    if (outcome.timeline) add_run(outcome.result, report_of(outcome, setup));
    add_measured(outcome.result, executed.times, setup.workload.training.mini_batch);
    note_tracing(executed.times, outcome);
    note_sharing(request, executed.units, outcome);
    note_devices(executed.notes, outcome);
  };
  return {.run = run,
          .ignored = ignored,
          .results = results_of(*request.job),
          .check = [kind = request.kind](const Setup& setup) {
            check_precision(*kind, setup.workload.training.precision);
          }};
}

void refuse_what_others_do(const po::variables_map& values, const ExecutionRequest& request) {
  if (request.kind->name != "cuda") refuse_gpu_options(values);
  if (request.kind->name == "emulated") return;
  for (const std::string option : {"no-validate", "program", "real-time", "misbehave"})
    if (values.count(option) > 0)
      throw ConfigError({.file = "--" + option}, "only emulated devices can do this",
                        "--backend emulated");
}

int run_on_this_rank(const po::variables_map& values, const ExecutionRequest& request,
                     const Console& console) {
  refuse_what_others_do(values, request);
  Study study = load_study(values);
  if (asks_to_train(values)) return run_training(study, values, request, console);
  if (values.count("plan") + values.count("point") > 0) study = with_choice(study, values);
  const auto ignored = values.count("no-validate") > 0 ? PlanRunner::Ignored::Deadlocks
                                                       : PlanRunner::Ignored::Nothing;
  if (const auto file = path_of(values, "program"))
    return run_text({.study = study, .file = *file, .ignored = ignored}, request, console);
  return carry_out_study(study, values, executing(request, ignored), console);
}

}  // namespace

int run_run(Arguments arguments, const Console& console) {
  const auto values = make_options().parse(arguments, console);
  if (!values) return ExitDone;
  Job job(job_options(*values));
  return job.guard(
      [&] {
        ExecutionRequest request = execution_request(*values);
        request.job = &job;
        return run_on_this_rank(*values, request, console);
      },
      console);
}

}  // namespace pipegraph
