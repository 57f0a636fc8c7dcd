// Which halves of transfers and which members of collectives are one event: messages of a channel
// match by order, and so do the collectives of a group.
#pragma once

#include <vector>

#include "core/program/problems.h"
#include "core/program/program.h"

namespace pipegraph {

class Matching {
 public:
  /// Tells `problems` what does not match.
  Matching(const Program& program, Problems& problems);

  /// The next member of the instruction's event, around a ring; itself if it is alone.
  InstructionId next(InstructionId id) const { return InstructionId{next_[id.index()]}; }
  /// The member with the least id.
  InstructionId leader(InstructionId id) const { return InstructionId{leader_[id.index()]}; }
  bool alone(InstructionId id) const { return next(id) == id; }

 private:
  void join(InstructionId earlier, InstructionId later);
  void match_transfers(const Program& program, Problems& problems);
  void match_all_reduces(const Program& program, Problems& problems);
  void match_group(const Program& program, GroupId group, const std::vector<InstructionId>& members,
                   Problems& problems);

  std::vector<std::int32_t> next_, leader_;
};

/// "send F0[0,4)>d1 on d0", for errors.
std::string on_device(const Program& program, InstructionId id);

}  // namespace pipegraph
