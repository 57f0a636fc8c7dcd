#include "exec/transport/channels.h"

#include <algorithm>

namespace pipegraph {
namespace {

Channel channel_of(const Instruction& half) {
  if (half.kind == InstructionKind::Send) return {half.device, half.peer, {}};
  return {half.peer, half.device, {}};
}

/// Each member of a group with each other, both ways.
void add_pairs(const Group& group, GroupId id, std::vector<Channel>& list) {
  for (DeviceId from : group.devices)
    for (DeviceId to : group.devices)
      if (from != to) list.push_back({from, to, id});
}

}  // namespace

Channels::Channels(const Program& program) : of_half_(program.size()) {
  for (const Instruction& instruction : program.instructions())
    if (is_transfer(instruction.kind)) list_.push_back(channel_of(instruction));
  for (std::size_t g = 0; g < program.groups().size(); ++g)
    add_pairs(program.groups()[g], make_id<GroupId>(g), list_);
  std::ranges::sort(list_);
  list_.erase(std::ranges::unique(list_).begin(), list_.end());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const Instruction& instruction = program.instructions()[i];
    if (is_transfer(instruction.kind)) of_half_[i] = find(channel_of(instruction));
  }
}

ChannelId Channels::find(const Channel& channel) const {
  const auto place = std::ranges::lower_bound(list_, channel);
  if (place == list_.end() || *place != channel) return {};
  return make_id<ChannelId>(static_cast<std::size_t>(place - list_.begin()));
}

}  // namespace pipegraph
