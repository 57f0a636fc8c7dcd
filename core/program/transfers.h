// The first pass of the lowering: every task of the schedule becomes an instruction that waits for
// what it uses, followed by its sends, each with its recv.
#pragma once

#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

#include "core/program/hand_overs.h"
#include "core/program/pass_times.h"
#include "core/program/pending_waits.h"
#include "core/program/program.h"
#include "core/program/receive_slots.h"
#include "core/program/task_slots.h"
#include "core/schedule/schedule.h"
#include "core/stage/workload.h"

namespace pipegraph {

class TransferLowering {
 public:
  struct Inputs {
    const Workload& workload;
    const StageGraph& stages;
    const TaskSlots& slots;
    const LaneChooser& lanes;
  };
  /// All must outlive this.
  TransferLowering(const Inputs& inputs, ProgramBuilder& builder, std::int32_t receive_slots);

  /// Reserves room for the tasks of `sequence`, their messages and `others`.
  void reserve(const std::vector<DeviceTask>& sequence, std::size_t others);
  /// The task's instruction, with everything that follows it at once.
  InstructionId add(const DeviceTask& task);

 private:
  /// A message whose channel has no slot yet.
  struct Held {
    InstructionId pass;
    DeviceTask task;
    Message message;
  };

  HandOver hand_over_of(const DeviceTask& task);
  std::size_t slot_of(const DeviceTask& task) const;
  void collect_waits(const DeviceTask& task, std::size_t slot);
  InstructionId add_pass(const DeviceTask& task, std::size_t slot);
  void hand_over(const DeviceTask& task, InstructionId pass);
  void add_transfer(const DeviceTask& task, InstructionId pass, const Message& message);
  void promise(const DeviceTask& task, const Consumer& consumer, InstructionId waits_on);
  /// Slot of the consumer's task of a message or tensor that `task` makes.
  std::size_t slot_of(const DeviceTask& task, const Consumer& consumer) const;
  void hold_back(const Held& held);
  void release_needed(Direction direction, std::size_t slot);
  void release_first(std::int32_t channel);
  void free_slots(InstructionId pass);

  const StageGraph& stages_;
  const TaskSlots& slots_;
  ProgramBuilder& builder_;
  HandOvers hand_overs_;
  PassTimes times_;
  std::uint8_t element_bytes_;
  std::vector<LaneId> compute_lanes_;                      ///< by device
  std::array<PendingWaits, k_directions> pending_;         ///< by slot
  std::vector<InstructionId> forwards_, backward_inputs_;  ///< by slot
  std::vector<InstructionId> waits_;                       ///< of the pass being added
  ReceiveSlots receive_slots_;
  std::vector<std::deque<Held>> held_;  ///< by channel
  /// By direction and slot: channels that hold messages for it, once per message.
  std::array<std::unordered_map<std::size_t, std::vector<std::int32_t>>, k_directions> holders_;
};

}  // namespace pipegraph
