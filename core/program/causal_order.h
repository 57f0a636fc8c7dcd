// What must have happened before what, between one device's computes and the transfers around them,
// from the program alone. Knowledge travels with messages: a device knows how far another had come
// when it sent, and which of its own messages had arrived there when it answered. This bounds how
// early a recv can start and how late a send can end, whatever the times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/moment.h"
#include "core/program/program.h"

namespace pipegraph {

class CausalOrder {
 public:
  explicit CausalOrder(const Program& program);

  /// Instructions of a device in order.
  std::span<const InstructionId> on(DeviceId device) const;
  /// Place of an instruction in its device's list.
  std::size_t place(InstructionId id) const { return static_cast<std::size_t>(place_[id.index()]); }
  std::int32_t computes(DeviceId device) const { return computes_[device.index()]; }

  /// The first moment at which the instruction can be under way, of any kind.
  Moment earliest_start(InstructionId id) const;
  /// The last moment at which a compute or a send can be under way.
  Moment latest_end(InstructionId id) const;

 private:
  friend class CausalScan;
  const Program& program_;
  std::vector<std::uint32_t> begin_;
  std::vector<InstructionId> by_device_;
  std::vector<std::int32_t> place_, computes_;
  /// Own computes that have ended when the instruction starts; of a compute its number.
  std::vector<std::int32_t> ended_before_;
  /// Of a send: the first own compute that can only start after it; -1: none.
  std::vector<std::int32_t> ends_before_;
};

}  // namespace pipegraph
