// What the messages of a device are made of and what its all-reduces add up, as memory: the same
// lists whatever the device is.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "exec/engine.h"
#include "exec/passes/device_passes.h"

namespace pipegraph {

class DevicePieces {
 public:
  /// `passes` must outlive this.
  DevicePieces(const DevicePasses& passes, const AreaBases& bases);

  /// Of a send or recv, in the payload's order.
  std::span<const Piece> message(InstructionId half) const;
  GradientSum sum(InstructionId all_reduce) const;

 private:
  struct Sum {
    std::vector<Addend> addends;
    std::vector<Piece> sum;
    std::deque<std::vector<Piece>> of_addends;  ///< what the addends' spans show
  };

  std::vector<Piece> pieces_of(std::span<const Stretch> stretches) const;
  void list_message(InstructionId half);
  void list_sum(InstructionId all_reduce);
  std::size_t place_of(InstructionId id) const { return passes_.tables().model().order.place(id); }

  const DevicePasses& passes_;
  AreaBases bases_;
  std::vector<Piece> message_pieces_;
  std::vector<StepRange> message_ranges_;  ///< by place
  std::deque<Sum> sums_;              // its elements stay where they are: spans point into them
  std::vector<std::int32_t> sum_of_;  ///< by place; -1: no all-reduce
};

}  // namespace pipegraph
