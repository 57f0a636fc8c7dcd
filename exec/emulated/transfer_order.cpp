#include "exec/emulated/transfer_order.h"

namespace pipegraph {

TransferOrder::TransferOrder(const Program& program, DeviceId device) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (is_transfer(program.at(id).kind) && program.at(id).device == device)
      transfers_.push_back(id);
  }
}

void TransferOrder::post(const MessageHalf& half) { posted_.emplace(half.instruction, half); }

std::optional<MessageHalf> TransferOrder::next() {
  if (passed_ || transfers_.empty()) return std::nullopt;
  const auto half = posted_.find(transfers_[turn_]);
  if (half == posted_.end()) return std::nullopt;
  passed_ = true;
  const MessageHalf found = half->second;
  posted_.erase(half);
  return found;
}

void TransferOrder::arrived(InstructionId half) {
  if (!passed_ || transfers_[turn_] != half) return;
  passed_ = false;
  turn_ = (turn_ + 1) % transfers_.size();
}

}  // namespace pipegraph
