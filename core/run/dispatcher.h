// The shared scheduler core: completions in, ready instructions out, in program order. No clock, no
// threads, no back end. Built for a set of devices, it sees only their halves of transfers and
// collectives. Lane order enters as one more predecessor: the instruction before on the lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

class Dispatcher {
 public:
  /// For all devices, or only those given. `program` must outlive this.
  explicit Dispatcher(const Program& program);
  Dispatcher(const Program& program, std::span<const DeviceId> devices);

  /// Instructions that wait for nothing, in program order.
  std::span<const InstructionId> initially_ready() const { return initial_; }

  /// Records that `done` has completed; returns what became ready, in program order, valid until
  /// the next call. Errors: InternalError if it had completed before, was never ready or is of
  /// another device.
  std::span<const InstructionId> complete(InstructionId done);

  std::size_t remaining() const { return remaining_; }
  bool completed(InstructionId id) const;
  bool ready(InstructionId id) const;  ///< released, perhaps completed

 private:
  void build();
  /// Position among this dispatcher's instructions.
  std::size_t local(InstructionId id) const { return all_ ? id.index() : find(id); }
  std::size_t find(InstructionId id) const;
  InstructionId global(std::size_t local) const {
    return all_ ? make_id<InstructionId>(local) : own_[local];
  }

  const Program& program_;
  std::vector<InstructionId> own_;  ///< ascending; unused if all are
  bool all_;
  std::vector<InstructionId> initial_, ready_;
  std::vector<std::uint32_t> missing_;          ///< unfinished predecessors; all-ones = completed
  std::vector<std::uint32_t> dependent_begin_;  ///< offsets into dependents_
  std::vector<std::uint32_t> dependents_;       ///< local, ascending per instruction
  std::size_t remaining_ = 0;
};

}  // namespace pipegraph
