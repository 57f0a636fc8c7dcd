// Which instruction comes before which on a lane: the implicit edges of a program.
#pragma once

#include <vector>

#include "core/program/program.h"

namespace pipegraph {

/// Walks a program's instructions (all, or those of some devices) in global order.
class LaneOrder {
 public:
  explicit LaneOrder(const Program& program)
      : program_(program), last_(program.lanes().size(), InstructionId{}) {}

  /// The instruction before `id` on its lane, invalid if there is none; calls must ascend.
  InstructionId append(InstructionId id) {
    InstructionId& last = last_[program_.at(id).lane.index()];
    const InstructionId before = last;
    last = id;
    return before;
  }

 private:
  const Program& program_;
  std::vector<InstructionId> last_;  ///< by lane
};

}  // namespace pipegraph
