// Lets instructions of a device that are not its computes begin one after another in the program's
// order, as a single queue would.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

class IssueOrder {
 public:
  /// Of the instructions of `device` whose kind `takes_turns`.
  IssueOrder(const Program& program, DeviceId device, bool (*takes_turns)(InstructionKind));

  void ready(InstructionId id) { ready_.insert(id); }
  /// The one whose turn it is, once, if it is ready.
  std::optional<InstructionId> next();
  /// The one that next() gave has completed. Others are ignored.
  void completed(InstructionId id);

 private:
  std::vector<InstructionId> order_;
  std::size_t turn_ = 0;  ///< begins again with each step
  bool begun_ = false;    ///< the one whose turn it is
  std::set<InstructionId> ready_;
};

}  // namespace pipegraph
