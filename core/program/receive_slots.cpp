#include "core/program/receive_slots.h"

namespace pipegraph {

const ReceiveSlots::Use* ReceiveSlots::use_before_next(std::int32_t channel) const {
  const auto index = static_cast<std::size_t>(channel);
  if (!limited() || index >= channels_.size()) return nullptr;
  const std::vector<Use>& uses = channels_[index].uses;
  return uses.size() < per_channel_ ? nullptr : &uses[uses.size() - per_channel_];
}

bool ReceiveSlots::has_slot(std::int32_t channel) const {
  const Use* before = use_before_next(channel);
  return before == nullptr || before->consumers == 0;
}

std::optional<InstructionId> ReceiveSlots::slot_free_after(std::int32_t channel) const {
  const Use* before = use_before_next(channel);
  if (before == nullptr || before->consumers > 0) return std::nullopt;
  return before->last;
}

void ReceiveSlots::issued(std::int32_t channel, InstructionId recv, std::size_t consumers) {
  if (!limited()) return;
  const auto index = static_cast<std::size_t>(channel);
  if (index >= channels_.size()) channels_.resize(index + 1);
  Channel& own = channels_[index];
  places_[recv] = {channel, own.uses.size()};
  own.uses.push_back({consumers, {}});
  own.recvs.push_back(recv);
}

std::optional<ReceiveSlots::Freed> ReceiveSlots::consumed(InstructionId recv, InstructionId pass) {
  if (!limited()) return std::nullopt;
  const auto place = places_.find(recv);
  if (place == places_.end()) return std::nullopt;  // not a recv
  const auto [channel, number] = place->second;
  Channel& own = channels_[static_cast<std::size_t>(channel)];
  Use& use = own.uses[number];
  use.last = pass;
  if (--use.consumers > 0) return std::nullopt;
  places_.erase(place);
  const std::size_t waiting = number + per_channel_;
  return Freed{channel, waiting < own.recvs.size() ? own.recvs[waiting] : InstructionId{}};
}

}  // namespace pipegraph
