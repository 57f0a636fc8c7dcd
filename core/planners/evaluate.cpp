#include "core/planners/evaluate.h"

#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "core/planners/passes.h"
#include "core/program/lower.h"
#include "core/run/run_program.h"
#include "core/run/sharing_backend.h"
#include "core/schedule/table.h"
#include "core/stage/placement.h"

namespace pipegraph {
namespace {

const ScheduleEntry& schedule_named(const std::string& name) {
  if (const ScheduleEntry* entry = find_schedule(name)) return *entry;
  std::vector<std::string> names;
  for (const ScheduleEntry& entry : schedule_table()) names.emplace_back(entry.name);
  throw ConfigError({.key = "schedule"}, fmt::format("unknown schedule '{}'", name),
                    expected_one_of(name, names));
}

void refuse(PreparedPlan& prepared, PlanStatus status, std::string reason) {
  prepared.status = status;
  prepared.reason = std::move(reason);
}

void validate_program(const Workload& workload, PreparedPlan& prepared) {
  prepared.validation = validate(*prepared.program, workload, prepared.stages);
  if (!prepared.validation.problems.empty())
    throw InternalError(fmt::format("the lowered program is not valid: {}",
                                    fmt::join(prepared.validation.problems, "; ")));
  if (!prepared.validation.ok())
    refuse(prepared, PlanStatus::Deadlock, prepared.validation.cycle_text);
}

}  // namespace

std::string_view to_text(PlanStatus status) {
  switch (status) {
    case PlanStatus::Ok:
      return "ok";
    case PlanStatus::Infeasible:
      return "infeasible";
    case PlanStatus::OutOfMemory:
      return "out_of_memory";
    case PlanStatus::Deadlock:
      return "deadlock";
  }
  throw InternalError("unknown plan status");
}

PreparedPlan prepare(const Workload& workload, const Plan& plan, const EvaluationOptions& options) {
  const ScheduleEntry& entry = schedule_named(plan.schedule);
  PreparedPlan prepared;
  prepared.stages = StageGraph(*workload.graph, plan.stages, plan.kind, plan.skip_transfer);
  check_placement(prepared.stages, *workload.topology);
  const double passes = count_passes(prepared.stages.stages(), workload.training.mini_batch);
  if (auto reason = too_many_passes(passes)) {
    refuse(prepared, PlanStatus::Infeasible, std::move(*reason));
    return prepared;
  }
  auto scheduled = make_schedule(
      prepared.stages, entry,
      {.mini_batch = workload.training.mini_batch, .extra_in_flight = plan.extra_in_flight});
  if (auto* deadlock = std::get_if<ScheduleDeadlock>(&scheduled)) {
    refuse(prepared, PlanStatus::Deadlock, std::move(deadlock->cycle));
    return prepared;
  }
  prepared.schedule = std::get<Schedule>(std::move(scheduled));
  prepared.program = lower(workload, prepared.stages, prepared.schedule,
                           {.receive_slots = plan.receive_slots, .overlap = options.overlap});
  validate_program(workload, prepared);
  if (prepared.status != PlanStatus::Ok) return prepared;
  prepared.memory = plan_memory(workload, prepared.stages, *prepared.program);
  if (!prepared.memory.fits()) refuse(prepared, PlanStatus::OutOfMemory, prepared.memory.problem);
  return prepared;
}

Evaluation evaluate(const Workload& workload, const Plan& plan, const EvaluationOptions& options) {
  Evaluation evaluation{.prepared = prepare(workload, plan, options)};
  if (!evaluation.ok()) return evaluation;
  const Program& program = *evaluation.prepared.program;
  const auto backend = options.links == LinkRates::Own
                           ? make_analytic_backend(program, *workload.topology, options.collectives)
                           : make_sharing_backend(program, *workload.topology, options.collectives);
  auto result = run_program(program, *backend);
  if (const Stuck* stuck = std::get_if<Stuck>(&result))
    throw InternalError("a valid program got stuck: " + stuck->text);
  evaluation.timeline = std::get<Timeline>(std::move(result));
  evaluation.iteration_time = evaluation.timeline->makespan();
  return evaluation;
}

}  // namespace pipegraph
