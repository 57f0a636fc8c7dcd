// Matching, written once: messages of a channel match by order, a transfer starts when both its
// halves are posted, an all-reduce when its last member arrives.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

struct Transfer {
  InstructionId send;
  InstructionId recv;
};

class Rendezvous {
 public:
  explicit Rendezvous(const Program& program);

  /// Posts a send or recv whose turn on its lane has come; the transfer if the other half waits.
  /// Errors: InternalError if the halves differ in bytes or element type.
  std::optional<Transfer> post_transfer(InstructionId half);
  /// Posts a member's arrival; all members in group order when it was the last, else empty.
  std::span<const InstructionId> post_all_reduce(InstructionId member);

 private:
  struct State;
  const Program& program_;
  std::vector<std::int32_t> partner_;  ///< by instruction: matching half, -1 for others
  std::vector<char> posted_;
};

}  // namespace pipegraph
