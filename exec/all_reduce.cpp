#include "exec/all_reduce.h"

#include <algorithm>

#include "core/base/errors.h"
#include "exec/reducing_member.h"
#include "exec/reduction_shares.h"

namespace pipegraph {

AllReducer::AllReducer(const ReducingContext& context) : context_(context) {}
AllReducer::~AllReducer() = default;

std::optional<Seconds> AllReducer::start(InstructionId id, Seconds posted) {
  running_.push_back({id, make_member(id, posted)});
  running_.back().member->begin();
  return finish_if_done(running_.size() - 1);
}

std::unique_ptr<ReducingMember> AllReducer::make_member(InstructionId id, Seconds posted) {
  const GradientSum sum = context_.engine.reduced(id);
  MemberMessages messages(context_, id, posted);
  if (sum.addends.empty()) return make_meeting_member(std::move(messages));
  const Instruction& instruction = context_.program.at(id);
  if (context_.transport.adds_up(instruction.group) &&
      every_member_adds(context_.program.groups()[instruction.group.index()], sum))
    return make_summing_member(context_, id, std::move(messages), sum);
  return make_adding_member(
      std::move(messages), context_.engine, sum,
      [this, lane = instruction.lane](Bytes bytes) { return scratch(lane, bytes); });
}

std::optional<Seconds> AllReducer::arrived(const Arrival& arrival) {
  const auto running = std::ranges::find(running_, arrival.instruction, &Running::id);
  check(running != running_.end(), "an all-reduce that is under way");
  running->member->arrived(arrival);
  return finish_if_done(static_cast<std::size_t>(running - running_.begin()));
}

std::optional<Seconds> AllReducer::finish_if_done(std::size_t place) {
  const ReducingMember& member = *running_[place].member;
  if (!member.done()) return std::nullopt;
  const Seconds start = member.start();
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
  return start;
}

Piece AllReducer::scratch(LaneId lane, Bytes bytes) {
  for (auto& [of, piece] : scratch_) {
    if (of != lane) continue;
    if (piece.bytes < bytes) piece = context_.engine.allocate(bytes);
    return piece;
  }
  return scratch_.emplace_back(lane, context_.engine.allocate(bytes)).second;
}

}  // namespace pipegraph
