#include "core/program/pass_times.h"

#include "core/program/task_slots.h"
#include "core/stage/stage_costs.h"

namespace pipegraph {

namespace {
constexpr std::size_t k_passes = 4;
}

PassTimes::PassTimes(const Workload& workload, const StageGraph& stages)
    : workload_(workload), stages_(stages) {
  std::size_t size = 0;
  for (const Stage& stage : stages.stages()) {
    begin_.push_back(size);
    size += static_cast<std::size_t>(stage.replicas()) * k_passes;
  }
  known_.resize(size);
}

Seconds PassTimes::time(StageId stage, std::int32_t replica, Pass pass, std::int32_t samples) {
  std::vector<Known>& known =
      known_[begin_[stage.index()] + static_cast<std::size_t>(replica) * k_passes +
             static_cast<std::size_t>(pass)];
  for (const Known& entry : known)
    if (entry.samples == samples) return entry.time;
  const Stage& of = stages_.at(stage);
  const Seconds time = pass_time(workload_, of, pass, samples, replica_device(of, replica));
  known.push_back({samples, time});
  return time;
}

}  // namespace pipegraph
