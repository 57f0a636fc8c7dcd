#include "core/planners/option_checks.h"

#include <fmt/format.h>

#include "core/schedule/table.h"

namespace pipegraph {
namespace {

void check_in_flight(const ScheduleEntry& schedule, const PlannerOptions& options) {
  if (schedule.in_flight == InFlight::Fixed && options.extra_in_flight != 0)
    throw ConfigError(
        {.key = "extra_in_flight"},
        fmt::format("what is in flight with schedule '{}' follows from its stages", schedule.name),
        "no extra_in_flight, or schedule: 1f1b");
}

/// A schedule of turns needs two stages on each device, of at least one operator each.
void check_turns(const ScheduleEntry& schedule, const Planner& planner, const Workload& workload) {
  if (schedule.sharing != DeviceSharing::Turns) return;
  if (planner.stages_per_device() < 2)
    throw ConfigError({.key = "schedule"},
                      fmt::format("'{}' takes turns of several stages on each device, and this "
                                  "planner puts one there",
                                  schedule.name),
                      "planner uniform or balanced with 'stages_per_device: 2' or more, or "
                      "schedule: 1f1b");
  if (workload.graph->size() < 2)
    throw ConfigError(
        {.key = "schedule"},
        fmt::format("'{}' takes turns of several stages on each device, and the model "
                    "has one operator",
                    schedule.name),
        "schedule: 1f1b, or a model of two operators or more");
}

}  // namespace

void check_options(const Planner& planner, const Workload& workload,
                   const PlannerOptions& options) {
  if (const ScheduleEntry* schedule = find_schedule(options.schedule)) {
    check_in_flight(*schedule, options);
    check_turns(*schedule, planner, workload);
  }
  planner.check(workload, options);
}

}  // namespace pipegraph
