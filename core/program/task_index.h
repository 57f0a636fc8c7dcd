// Where a program does each task of a plan: the instruction of every pass of every replica's share,
// and of everything that is wrong or missing about them.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/program/problems.h"
#include "core/program/program.h"
#include "core/program/task_slots.h"

namespace pipegraph {

class TaskIndex {
 public:
  /// Tells `problems` about passes on wrong devices or shares, those done twice and those missing.
  TaskIndex(const Program& program, const StageGraph& stages, const TaskSlots& slots,
            Problems& problems);

  /// By slot; -1 = there is none. `gradient` is the Backward or BackwardInput, `weight` the
  /// Backward or BackwardWeight.
  InstructionId forward(std::size_t slot) const { return forward_[slot]; }
  InstructionId gradient(std::size_t slot) const { return gradient_[slot]; }
  InstructionId weight(std::size_t slot) const { return weight_[slot]; }

  /// Position of a device in the stage's replicas; -1 if it is none.
  std::int32_t replica(StageId stage, DeviceId device) const;
  /// The last pass of the device that adds to the gradients of the stage's parameters.
  InstructionId last_contribution(StageId stage, std::int32_t replica) const {
    return last_contribution_[stage.index()][static_cast<std::size_t>(replica)];
  }
  /// Of any stage; -1 if the device has none.
  InstructionId last_pass(DeviceId device) const { return last_pass_[device.index()]; }

 private:
  void add(const Program& program, InstructionId id, const TaskSlots& slots, Problems& problems);
  /// Which pass of a task nobody makes, for messages; null: none.
  const char* missing_pass(std::size_t slot) const;
  void find_missing(const StageGraph& stages, const TaskSlots& slots, Problems& problems) const;

  /// Replica by device, for the span of device ids that a stage uses.
  struct ReplicaTable {
    std::int32_t first_device = 0;
    std::vector<std::int32_t> replica;
  };
  std::vector<ReplicaTable> replicas_;
  std::vector<InstructionId> forward_, gradient_, weight_;
  std::vector<std::vector<InstructionId>> last_contribution_;
  std::vector<InstructionId> last_pass_;
};

}  // namespace pipegraph
