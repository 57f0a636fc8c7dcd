#include "apps/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/backends.h"
#include "core/planners/placement.h"
#include "core/profile/program_hash.h"
#include "core/report/busiest_device.h"

namespace pipegraph {
namespace {

/// The plan's own figures, known before it runs.
void describe_plan(const Plan& plan, PlanResult& result) {
  result.planner = plan.planner;
  result.kind = plan.kind;
  result.search = plan.search;
  result.objective = plan.objective;
}

void describe_prepared(const PreparedPlan& prepared, const Setup& setup, PlanResult& result) {
  result.transfer_time = transfer_time(setup.workload, prepared.stages);
  if (!prepared.program) return;
  result.shape = plan_shape(prepared.stages, prepared.schedule, *setup.workload.topology,
                            setup.workload.training.mini_batch);
  result.instructions = prepared.program->size();
  result.busiest_device = busiest_device(*prepared.program, *setup.workload.topology,
                                         setup.workload.training.mini_batch);
  result.program_hash = program_hash(setup.workload, prepared.stages, *prepared.program);
  const Simulation& simulation = setup.scenario.simulation;
  if (simulation.backend == BackendKind::Threads)
    result.oversubscribed =
        simulation.cores > 0 && result.shape->devices > static_cast<std::size_t>(simulation.cores);
}

/// Whether the plan may run; else `result` says why not.
bool may_run(const PreparedPlan& prepared, const Setup& setup, PlanResult& result) {
  if (prepared.status == PlanStatus::Ok) return true;
  result.status = prepared.status;
  result.reason = prepared.reason;
  if (prepared.status != PlanStatus::OutOfMemory) return false;
  if (setup.scenario.memory == MemoryPolicy::Report) {
    result.status = PlanStatus::Ok;
    result.reason.clear();
    return true;
  }
  add_out_of_memory(result, prepared.memory, prepared.stages, *setup.workload.topology);
  return false;
}

void simulate_plan(Outcome& outcome, const Setup& setup, Progress& progress) {
  apply_costs(outcome, setup);
  const Program& program = *outcome.prepared->program;
  BackendRun finished = run_backend(program, *setup.workload.topology, setup.scenario.simulation,
                                    progress.parts(program.size()));
  outcome.timeline = std::move(finished.timeline);
  outcome.result.backend = to_text(setup.scenario.simulation.backend);
  outcome.result.simulation_time = finished.time;
  if (!finished.note.empty()) outcome.notes.push_back(std::move(finished.note));
  if (setup.costs)
    outcome.notes.push_back(
        fmt::format("{}: times by {}", outcome.result.name, outcome.result.costs));
  if (outcome.result.oversubscribed == true)
    outcome.notes.push_back(fmt::format("{}: oversubscribed: {} devices share {} cores",
                                        outcome.result.name, outcome.result.shape->devices,
                                        setup.scenario.simulation.cores));
  if (setup.workload.topology->size() > 1 && moves_nothing(program))
    outcome.notes.push_back(outcome.result.name +
                            ": nothing is ever sent: the network has no influence on the result");
  add_run(outcome.result, report_of(outcome, setup));
}

/// Work in FLOPs takes a time only on devices that have a peak.
void check_peaks(const Setup& setup) {
  const Workload& workload = setup.workload;
  if (dynamic_cast<const RooflineCosts*>(workload.costs.get()) == nullptr) return;
  const Precision precision = workload.training.precision;
  const auto known = [&](const Device& device) {
    return device.peak[static_cast<std::size_t>(precision)].value > 0.0;
  };
  if (std::ranges::any_of(workload.topology->devices(), known)) return;
  for (const Operator& op : workload.graph->operators()) {
    if (op.forward.time || op.forward.empty() || flops(op.forward).count <= 0.0) continue;
    throw ConfigError(
        op.position,
        fmt::format("'{}' gives work in FLOPs, and no device of the cluster has a peak for {}",
                    op.name, to_text(precision)),
        fmt::format("'peak: {{{0}: ...}}' of its devices, another training.precision, times of "
                    "the operators, or measured ones (costs: FILE, from pipegraph profile)",
                    to_text(precision)));
  }
}

/// A slowdown multiplies given times: of work in FLOPs it changes nothing.
std::string note_of_slowdown(const Setup& setup) {
  const Workload& workload = setup.workload;
  if (dynamic_cast<const RooflineCosts*>(workload.costs.get()) == nullptr) return "";
  const auto& devices = workload.topology->devices();
  const auto slow =
      std::ranges::find_if(devices, [](const Device& device) { return device.slowdown != 1.0; });
  if (slow == devices.end()) return "";
  const bool timed = std::ranges::any_of(
      workload.graph->operators(), [](const Operator& op) { return op.forward.time.has_value(); });
  if (timed) return "";
  return fmt::format(
      "slowdown {} of {} changes nothing: operators give work, not times (a lower "
      "'peak' or 'efficiency' makes a device slower)",
      slow->slowdown, slow->name);
}

}  // namespace

void add_memory(PlanResult& result, const PreparedPlan& prepared, const Topology& topology) {
  if (prepared.memory.devices.empty()) return;
  result.fits = prepared.memory.fits();
  result.peak_memory.clear();
  for (DeviceId device : prepared.stages.devices())
    result.peak_memory.push_back(prepared.memory.devices[device.index()].peak +
                                 topology.device(device).reserved);
}

PlanRunner simulating() { return {.run = simulate_plan, .refused = PlanRunner::Refused::IsARow}; }

PlanRunner preparing() {
  return {.run = [](Outcome&, const Setup&, Progress&) {}};
}

void apply_costs(Outcome& outcome, const Setup& setup) {
  const std::string& hash = outcome.result.program_hash;
  CostedProgram costed = with_costs(*outcome.prepared->program, hash, setup.costs, setup.workload);
  outcome.prepared->program = std::move(costed.program);
  outcome.result.costs = std::move(costed.source);
}

void check_point(const Setup& setup, const PlanRunner& runner) {
  runner.check(setup);
  check_peaks(setup);
}

Outcome carry_out(const PlanRequest& request, const Setup& setup, Progress& progress,
                  const PlanRunner& runner) {
  Outcome outcome;
  outcome.result.name = request.name;
  outcome.result.planner = request.planner;
  check_point(setup, runner);
  MadePlan made = make_plan(request, setup);
  for (const std::string& note : made.notes)
    outcome.notes.push_back(fmt::format("{}: {}", request.name, note));
  if (const Infeasible* infeasible = std::get_if<Infeasible>(&made.plan)) {
    outcome.result.status = PlanStatus::Infeasible;
    outcome.result.reason = infeasible->reason;
    return outcome;
  }
  if (std::string note = note_of_slowdown(setup); !note.empty())
    outcome.notes.push_back(std::move(note));
  outcome.plan = std::get<Plan>(std::move(made.plan));
  describe_plan(*outcome.plan, outcome.result);
  outcome.prepared =
      prepare(setup.workload, *outcome.plan, evaluation_options(setup.scenario.simulation));
  describe_prepared(*outcome.prepared, setup, outcome.result);
  const bool forced = runner.ignored == PlanRunner::Ignored::Deadlocks &&
                      outcome.prepared->status == PlanStatus::Deadlock && outcome.prepared->program;
  if (forced || may_run(*outcome.prepared, setup, outcome.result))
    runner.run(outcome, setup, progress);
  if (outcome.result.metrics && outcome.result.metrics->iteration_time == Seconds{0})
    outcome.notes.push_back(request.name +
                            ": no operator and no message takes any time: there is no throughput");
  return outcome;
}

RunReport report_of(const Outcome& outcome, const Setup& setup) {
  const PreparedPlan& prepared = outcome.prepared.value();
  return RunReport({.workload = setup.workload,
                    .stages = prepared.stages,
                    .schedule = prepared.schedule,
                    .program = prepared.program.value(),
                    .timeline = outcome.timeline.value(),
                    .memory = prepared.memory,
                    .collectives = evaluation_options(setup.scenario.simulation).collectives});
}

void note_devices(const std::vector<std::string>& notes, Outcome& outcome) {
  for (const std::string& note : notes)
    outcome.notes.push_back(fmt::format("{}: {}", outcome.result.name, note));
}

}  // namespace pipegraph
