#include "exec/issue_order.h"

namespace pipegraph {

IssueOrder::IssueOrder(const Program& program, DeviceId device,
                       bool (*takes_turns)(InstructionKind)) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (program.at(id).device == device && takes_turns(program.at(id).kind)) order_.push_back(id);
  }
}

std::optional<InstructionId> IssueOrder::next() {
  if (begun_ || order_.empty() || ready_.erase(order_[turn_]) == 0) return std::nullopt;
  begun_ = true;
  return order_[turn_];
}

void IssueOrder::completed(InstructionId id) {
  if (!begun_ || order_[turn_] != id) return;
  begun_ = false;
  turn_ = (turn_ + 1) % order_.size();
}

}  // namespace pipegraph
