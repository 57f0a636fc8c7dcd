#include "core/planners/rerun.h"

#include "core/base/errors.h"
#include "core/program/lower.h"
#include "core/run/run_program.h"
#include "core/run/sharing_backend.h"
#include "core/schedule/table.h"

namespace pipegraph {

Seconds time_again(const Workload& workload, const Plan& plan, const EvaluationOptions& options) {
  const StageGraph stages(*workload.graph, plan.stages, plan.kind, plan.skip_transfer);
  const auto scheduled = make_schedule(
      stages, *find_schedule(plan.schedule),
      {.mini_batch = workload.training.mini_batch, .extra_in_flight = plan.extra_in_flight});
  const auto* schedule = std::get_if<Schedule>(&scheduled);
  check(schedule != nullptr, "a plan that ran before has no deadlock");
  const Program program = lower(workload, stages, *schedule,
                                {.receive_slots = plan.receive_slots, .overlap = options.overlap});
  const auto backend = options.links == LinkRates::Own
                           ? make_analytic_backend(program, *workload.topology, options.collectives)
                           : make_sharing_backend(program, *workload.topology, options.collectives);
  const auto result = run_program(program, *backend);
  const auto* timeline = std::get_if<Timeline>(&result);
  check(timeline != nullptr, "a plan that ran before does not get stuck");
  return timeline->makespan();
}

Seconds time_on_shared_links(const Workload& workload, const Plan& plan,
                             EvaluationOptions options) {
  options.links = LinkRates::Shared;
  return time_again(workload, plan, options);
}

}  // namespace pipegraph
