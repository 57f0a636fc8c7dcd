#include <algorithm>

#include "core/base/errors.h"
#include "exec/reducing_member.h"
#include "exec/transport/copy_pieces.h"

namespace pipegraph {

MemberMessages::MemberMessages(const ReducingContext& context, InstructionId all_reduce,
                               Seconds posted)
    : context_(context), all_reduce_(all_reduce), posted_(posted), latest_(posted) {
  const Instruction& instruction = context.program.at(all_reduce);
  devices_ = context.program.groups()[instruction.group.index()].devices;
  const auto own = std::ranges::find(devices_, instruction.device);
  check(own != devices_.end(), "a member belongs to its group");
  self_ = static_cast<std::size_t>(own - devices_.begin());
}

void MemberMessages::send(std::size_t to, std::vector<Piece> pieces) {
  const GroupId group = context_.program.at(all_reduce_).group;
  post({devices_[self_], devices_[to], group}, Half::Send, std::move(pieces));
}

void MemberMessages::receive(std::size_t from, std::vector<Piece> pieces) {
  const GroupId group = context_.program.at(all_reduce_).group;
  post({devices_[from], devices_[self_], group}, Half::Recv, std::move(pieces));
}

void MemberMessages::post(const Channel& channel, Half half, std::vector<Piece> pieces) {
  if (under_way_++ == 0) pieces_.clear();
  pieces_.push_back(std::move(pieces));
  const std::vector<Piece>& kept = pieces_.back();
  context_.transport.post(devices_[self_],
                          {.channel = context_.channels.find(channel),
                           .half = half,
                           .element_bytes = context_.program.at(all_reduce_).element_bytes,
                           .instruction = all_reduce_,
                           .bytes = total_bytes(kept),
                           .posted = posted_,
                           .pieces = kept});
}

void MemberMessages::arrived(const Arrival& arrival) {
  check(under_way_ > 0, "a message of this all-reduce is under way");
  --under_way_;
  latest_ = std::max(latest_, arrival.other_posted);
}

}  // namespace pipegraph
