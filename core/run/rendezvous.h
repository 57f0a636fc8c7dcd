// Rendezvous, written once: a transfer starts when both its halves are posted, an all-reduce when
// its last member arrives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/program/program.h"
#include "core/run/counterparts.h"

namespace pipegraph {

struct Transfer {
  InstructionId send;
  InstructionId recv;
};

class Rendezvous {
 public:
  /// `program` must outlive this. Errors: those of Counterparts.
  explicit Rendezvous(const Program& program);

  /// Posts a send or recv whose turn on its lane has come; the transfer if the other half waits.
  std::optional<Transfer> post_transfer(InstructionId half);
  /// Posts a member's arrival; all members in group order when it was the last, else empty.
  std::span<const InstructionId> post_all_reduce(InstructionId member);

  const Counterparts& counterparts() const { return counterparts_; }

 private:
  const Program& program_;
  Counterparts counterparts_;
  std::vector<char> posted_;            ///< by instruction
  std::vector<std::uint32_t> arrived_;  ///< by collective
};

}  // namespace pipegraph
