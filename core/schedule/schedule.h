// For each device the order of its tasks. A schedule fixes each stage's own order; stages that
// share devices are merged by list scheduling, whose run is also the global sequence of the
// program.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.h"
#include "core/stage/stage_graph.h"
#include "core/stage/task.h"

namespace pipegraph {

struct ScheduleOptions {
  std::int32_t mini_batch = 1;
  std::int64_t extra_in_flight = 0;  ///< samples above the rule for every stage that is not a sink
};

/// One stage's tasks in the order each of its replicas runs them.
struct StageSchedule {
  std::vector<Task> tasks;
  std::int64_t in_flight_bound = 0;  ///< w, samples, by the schedule's rule
  std::int64_t in_flight_peak = 0;   ///< samples forwarded and not yet backwarded, as reached
  /// Place of each task among all tasks of its devices, where the schedule fixes that too; else
  /// empty, and list scheduling decides. All stages of a device have them or none.
  std::vector<std::int32_t> turns{};
};

struct DeviceTask {
  DeviceId device;
  std::int32_t replica = 0;  ///< position of the device in the stage's group
  Task task;
  bool operator==(const DeviceTask&) const = default;
};

struct Schedule {
  std::vector<StageSchedule> stages;  ///< by stage id
  /// All tasks of all devices in the global sequence; tasks with an empty share are left out.
  std::vector<DeviceTask> sequence;
  /// End of the list schedule's last task; a unit is the forward of one sample.
  std::int64_t unit_makespan = 0;
};

/// The tasks can never all run: an expected "no". `cycle` tells what waits for what.
struct ScheduleDeadlock {
  std::string cycle;  ///< "F1[0,4) on d1 waits for F3[0,4) on d3, which waits for ..."
};

/// In-flight samples w of every stage by the rule for 1F1B and kFkB on a stage graph (see
/// docs/schedules.md), overrides of stages and extra_in_flight included: a stage's own `in_flight`
/// stands instead of the rule and of the extra. The stage graph must be acyclic.
std::vector<std::int64_t> in_flight_samples(const StageGraph& stages,
                                            const ScheduleOptions& options);

/// The same where a stage's own `in_flight` counts samples until their BackwardWeight: it then is a
/// limit, above which the rule does not go, and no reason to forward more before the first
/// backward.
std::vector<std::int64_t> warm_up_samples(const StageGraph& stages, const ScheduleOptions& options);

/// Order of each device's tasks and the global sequence by list scheduling with F = 1 and B = 2
/// per sample of a replica's share and free messages (split backward: 1 each). `orders` are by
/// stage id, each with every micro-batch of the same mini-batch forwarded and backwarded once;
/// their turns, if any, are kept. The stage graph must be acyclic. Time: a logarithm per task and
/// dependency.
std::variant<Schedule, ScheduleDeadlock> merge_stage_schedules(const StageGraph& stages,
                                                               std::vector<StageSchedule> orders);

}  // namespace pipegraph
