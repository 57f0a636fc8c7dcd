// Dense numbers for the tasks of all replicas: one per (stage, micro-batch, replica). Lowering and
// validation keep what they know of a task under its number.
#pragma once

#include <cstddef>
#include <vector>

#include "core/stage/share_partition.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

/// The device that stands for replica `replica` of a stage: of a tensor-parallel group its first.
inline DeviceId replica_device(const Stage& stage, std::int32_t replica) {
  return stage
      .devices[static_cast<std::size_t>(replica) * static_cast<std::size_t>(stage.tensor_parallel)];
}

/// replica_device of every replica, in order.
std::vector<DeviceId> replica_devices(const Stage& stage);

class TaskSlots {
 public:
  TaskSlots(const StageGraph& stages, std::int32_t mini_batch);

  std::size_t size() const { return size_; }
  const SharePartition& partition(StageId stage) const { return partitions_[stage.index()]; }
  std::size_t slot(StageId stage, std::int32_t micro_batch, std::int32_t replica) const {
    return begin_[stage.index()] +
           static_cast<std::size_t>(micro_batch) *
               static_cast<std::size_t>(partition(stage).replicas()) +
           static_cast<std::size_t>(replica);
  }
  /// The slot of the micro-batch that holds `sample`.
  std::size_t slot_at(StageId stage, std::int32_t sample, std::int32_t replica) const {
    return slot(stage, partition(stage).index_of(sample), replica);
  }

 private:
  std::vector<SharePartition> partitions_;
  std::vector<std::size_t> begin_;
  std::size_t size_ = 0;
};

}  // namespace pipegraph
