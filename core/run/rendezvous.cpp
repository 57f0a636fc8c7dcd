#include "core/run/rendezvous.h"

#include "core/base/errors.h"

namespace pipegraph {

Rendezvous::Rendezvous(const Program& program)
    : program_(program),
      counterparts_(program),
      posted_(program.size(), 0),
      arrived_(counterparts_.collectives(), 0) {}

std::optional<Transfer> Rendezvous::post_transfer(InstructionId half) {
  check(posted_[half.index()] == 0, "a half of a transfer is posted once");
  posted_[half.index()] = 1;
  const InstructionId other = counterparts_.partner(half);
  if (!other.valid() || posted_[other.index()] == 0) return std::nullopt;
  const bool sends = program_.at(half).kind == InstructionKind::Send;
  return sends ? Transfer{half, other} : Transfer{other, half};
}

std::span<const InstructionId> Rendezvous::post_all_reduce(InstructionId member) {
  check(posted_[member.index()] == 0, "a member of an all-reduce arrives once");
  posted_[member.index()] = 1;
  const std::size_t collective = counterparts_.collective(member);
  const auto members = counterparts_.members(collective);
  return ++arrived_[collective] == members.size() ? members : std::span<const InstructionId>{};
}

}  // namespace pipegraph
