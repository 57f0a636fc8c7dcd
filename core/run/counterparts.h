// Which halves make a transfer and which instructions make a collective: messages of a channel (a
// directed pair of devices) match by order, and so do the collectives of a group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

class Counterparts {
 public:
  /// `program` must outlive this. Errors: InternalError if halves of a transfer or members of a
  /// collective differ in bytes or element type. Halves without a counterpart stay unmatched.
  explicit Counterparts(const Program& program);

  /// The other half of a send or recv; invalid if the program has none.
  InstructionId partner(InstructionId half) const { return InstructionId{match_[half.index()]}; }
  /// Number of the collective that an all-reduce belongs to, from 0.
  std::size_t collective(InstructionId member) const {
    return static_cast<std::size_t>(match_[member.index()]);
  }
  std::size_t collectives() const { return member_begin_.size() - 1; }
  /// Members of a collective in the group's order; invalid ids where a member has no instruction.
  std::span<const InstructionId> members(std::size_t collective) const {
    return std::span(members_).subspan(member_begin_[collective],
                                       member_begin_[collective + 1] - member_begin_[collective]);
  }

 private:
  void match_collectives(const Program& program, std::span<const InstructionId> all_members);

  std::vector<std::int32_t> match_;  ///< by instruction: other half, or collective; -1 for others
  std::vector<std::size_t> member_begin_{0};
  std::vector<InstructionId> members_;
};

}  // namespace pipegraph
