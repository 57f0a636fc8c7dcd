// The kinds of member of an all-reduce, and what they share: posting messages to the others of
// the group.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exec/all_reduce.h"

namespace pipegraph {

/// Posts to other members and counts what has not arrived yet.
class MemberMessages {
 public:
  MemberMessages(const ReducingContext& context, InstructionId all_reduce, Seconds posted);

  std::size_t members() const { return devices_.size(); }
  std::size_t self() const { return self_; }
  DeviceId device(std::size_t member) const { return devices_[member]; }

  void send(std::size_t to, std::vector<Piece> pieces);
  void receive(std::size_t from, std::vector<Piece> pieces);
  void arrived(const Arrival& arrival);
  /// Nothing is under way.
  bool all_arrived() const { return under_way_ == 0; }
  /// The latest time at which anyone heard of has posted.
  Seconds latest_posted() const { return latest_; }
  /// What later messages say of when they were posted.
  void post_as(Seconds posted) { posted_ = posted; }

 private:
  void post(const Channel& channel, Half half, std::vector<Piece> pieces);

  ReducingContext context_;
  InstructionId all_reduce_;
  std::span<const DeviceId> devices_;
  std::size_t self_ = 0;
  Seconds posted_, latest_;
  std::size_t under_way_ = 0;
  std::vector<std::vector<Piece>> pieces_;  ///< of messages under way
};

/// A member of an engine without data: everyone tells member 0, which tells everyone, when the last
/// was there.
std::unique_ptr<ReducingMember> make_meeting_member(MemberMessages messages);

/// Memory for what a member gathers.
using ScratchOf = std::function<Piece(Bytes)>;

/// Each member adds up its part of the vector, which it gathers from all, and sends the sum to all;
/// segment after segment, so that what is gathered stays small.
std::unique_ptr<ReducingMember> make_adding_member(MemberMessages messages, Engine& engine,
                                                   const GradientSum& sum,
                                                   const ScratchOf& scratch);

/// Members meet, and the transport adds up. Every member must have an addend.
std::unique_ptr<ReducingMember> make_summing_member(const ReducingContext& context,
                                                    InstructionId all_reduce,
                                                    MemberMessages messages,
                                                    const GradientSum& sum);

}  // namespace pipegraph
