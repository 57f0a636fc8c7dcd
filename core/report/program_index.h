// Who comes before whom in a program, for explaining a timeline: each device's instructions, lane
// neighbours, the other half of a transfer, the members of a collective.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/program.h"
#include "core/run/counterparts.h"

namespace pipegraph {

class ProgramIndex {
 public:
  /// `program` must outlive this. Errors: those of Counterparts.
  explicit ProgramIndex(const Program& program);

  const Program& program() const { return program_; }
  /// Ascending, which on each lane is the order of execution.
  std::span<const InstructionId> of_device(DeviceId device) const;
  /// The instruction before `id` on its lane; invalid for the first.
  InstructionId lane_before(InstructionId id) const { return lane_before_[id.index()]; }
  /// The other half of a send or recv; invalid if it has none, and for other instructions.
  InstructionId other_half(InstructionId id) const;
  /// All members of the collective that an all-reduce belongs to, itself included (ids of members
  /// without an instruction are invalid); empty for other instructions.
  std::span<const InstructionId> members(InstructionId id) const;

 private:
  void sort_by_device();

  const Program& program_;
  Counterparts matching_;
  std::vector<std::uint32_t> device_begin_;
  std::vector<InstructionId> by_device_;
  std::vector<InstructionId> lane_before_;
};

}  // namespace pipegraph
