#include "exec/issue_ahead.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

IssueAhead::IssueAhead(const Program& program, DeviceId device, std::size_t most_under_way)
    : program_(program), most_under_way_(most_under_way) {
  std::vector<InstructionId> before_on_lane(program.lanes().size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    const Instruction& instruction = program.at(id);
    if (instruction.device != device) continue;
    const InstructionId before = std::exchange(before_on_lane[instruction.lane.index()], id);
    if (!is_compute(instruction.kind)) continue;
    const auto self = static_cast<std::uint32_t>(computes_.size());
    computes_.push_back(id);
    const auto wait_for = [&](InstructionId other) {
      // A compute before it comes first on the stream; one after it never will.
      if (!is_compute(program.at(other).kind) || other > id) waiting_.emplace_back(other, self);
    };
    for (const InstructionId other : program.waits_on(id)) wait_for(other);
    if (before.valid()) wait_for(before);
  }
  std::ranges::sort(waiting_);
  waiting_.erase(std::unique(waiting_.begin(), waiting_.end()), waiting_.end());
  waits_.resize(computes_.size());
  for (const auto& [other, compute] : waiting_) ++waits_[compute];
  begin_step();
}

void IssueAhead::begin_step() {
  missing_ = waits_;
  started_ = completed_ = 0;
}

InstructionId IssueAhead::next() const {
  const bool may = started_ < computes_.size() && missing_[started_] == 0 &&
                   started_ - completed_ < most_under_way_;
  return may ? computes_[started_] : InstructionId{};
}

void IssueAhead::started(InstructionId compute) {
  check(started_ < computes_.size() && computes_[started_] == compute,
        "computes are started in their order");
  ++started_;
}

bool IssueAhead::has_started(InstructionId compute) const { return place(compute) < started_; }

void IssueAhead::completed(InstructionId done) {
  if (is_compute(program_.at(done).kind)) ++completed_;
  const auto first = std::ranges::lower_bound(waiting_, std::pair{done, std::uint32_t{0}});
  for (auto entry = first; entry != waiting_.end() && entry->first == done; ++entry)
    --missing_[entry->second];
}

std::size_t IssueAhead::place(InstructionId compute) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(computes_, compute) - computes_.begin());
}

}  // namespace pipegraph
