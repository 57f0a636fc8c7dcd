#include "core/program/task_slots.h"

namespace pipegraph {

std::vector<DeviceId> replica_devices(const Stage& stage) {
  std::vector<DeviceId> devices;
  devices.reserve(stage.devices.size());
  for (std::int32_t r = 0; r < stage.replicas(); ++r) devices.push_back(replica_device(stage, r));
  return devices;
}

TaskSlots::TaskSlots(const StageGraph& stages, std::int32_t mini_batch) {
  for (const Stage& stage : stages.stages()) {
    partitions_.emplace_back(mini_batch, stage.micro_batch, stage.replicas());
    begin_.push_back(size_);
    size_ += static_cast<std::size_t>(partitions_.back().count()) *
             static_cast<std::size_t>(stage.replicas());
  }
}

}  // namespace pipegraph
