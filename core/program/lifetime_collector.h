// The lifetimes of one device, read off its instructions.
#pragma once

#include <vector>

#include "core/program/memory.h"
#include "core/program/memory_model.h"

namespace pipegraph {

class LifetimeCollector {
 public:
  LifetimeCollector(const MemoryModel& model, DeviceId device);

  /// In no particular order.
  std::vector<Lifetime> collect() &&;

 private:
  /// Lifetimes that an instruction begins and that its users on the device may extend.
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  const Instruction& at(InstructionId id) const { return model_.program.at(id); }
  const Footprint& footprint(StageId stage) const { return model_.footprints[stage.index()]; }
  Bytes bytes_of(OperatorId tensor, MicroBatch samples) const;
  InstructionId last_backward(InstructionId pass) const;
  const StageFlow* flow(StageId from, StageId to, Direction direction) const;

  void begin(InstructionId id);
  void begin_forward(InstructionId id);
  void begin_backward(InstructionId id);
  void begin_send(InstructionId id);
  void begin_recv(InstructionId id);
  void add(Lifetime lifetime, Bytes bytes);
  std::vector<OperatorId> handed_over_here(StageId stage) const;

  /// What a pass uses of a recv or of a pass of another stage lives until it is done.
  void use(InstructionId pass, InstructionId source);
  void use_activations(InstructionId pass, InstructionId source);
  void use_local_gradients(InstructionId pass, InstructionId source);
  void extend(Lifetime& lifetime, InstructionId last) const;

  const MemoryModel& model_;
  DeviceId device_;
  std::span<const InstructionId> instructions_;
  std::vector<Lifetime> lifetimes_;
  std::vector<Range> begun_;  ///< by place of the instruction
};

}  // namespace pipegraph
