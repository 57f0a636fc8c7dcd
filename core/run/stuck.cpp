#include "core/run/stuck.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "core/program/text.h"
#include "core/run/counterparts.h"
#include "core/run/lane_order.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_rows = 40;   // of the grid
constexpr std::size_t k_causes = 4;  // told per row

/// Instructions left, with what they miss.
class Remainder {
 public:
  Remainder(const Program& program, const std::vector<char>& completed)
      : program_(program), completed_(completed), counterparts_(program) {
    before_on_lane_.reserve(program.size());
    LaneOrder lanes(program);
    for (std::size_t i = 0; i < program.size(); ++i)
      before_on_lane_.push_back(lanes.append(make_id<InstructionId>(i)));
  }

  bool completed(InstructionId id) const { return completed_[id.index()] != 0; }
  bool heads_lane(InstructionId id) const {
    const InstructionId before = before_on_lane_[id.index()];
    return !completed(id) && (!before.valid() || completed(before));
  }

  std::vector<InstructionId> waits_for(InstructionId id) const {
    std::vector<InstructionId> missing = missing_on_device(id);
    if (!missing.empty()) return missing;
    const InstructionKind kind = program_.at(id).kind;
    if (is_transfer(kind)) {
      if (const InstructionId other = counterparts_.partner(id); other.valid())
        missing.push_back(other);
    } else if (kind == InstructionKind::AllReduce) {
      for (InstructionId member : counterparts_.members(counterparts_.collective(id)))
        if (member.valid() && !missing_on_device(member).empty()) missing.push_back(member);
    }
    return missing;
  }

 private:
  std::vector<InstructionId> missing_on_device(InstructionId id) const {
    std::vector<InstructionId> missing;
    for (InstructionId before : program_.waits_on(id))
      if (!completed(before)) missing.push_back(before);
    const InstructionId before = before_on_lane_[id.index()];
    if (before.valid() && !completed(before)) missing.push_back(before);
    std::ranges::sort(missing);
    missing.erase(std::ranges::unique(missing).begin(), missing.end());
    return missing;
  }

  const Program& program_;
  const std::vector<char>& completed_;
  Counterparts counterparts_;
  std::vector<InstructionId> before_on_lane_;
};

std::string token(const Program& program, InstructionId id) {
  const Instruction& instruction = program.at(id);
  return fmt::format("#{} {} on d{}", id.value, to_text(instruction), instruction.device.value);
}

std::string causes(const Program& program, const Stuck::Blocked& blocked) {
  const InstructionKind kind = program.at(blocked.instruction).kind;
  if (blocked.waits_for.empty()) {
    if (is_transfer(kind)) return "the other half, which the program does not have";
    if (kind == InstructionKind::AllReduce) return "a member that the program does not have";
    return "nothing: it was never reported complete";
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(k_causes, blocked.waits_for.size()); ++i)
    text += (i == 0 ? "" : ", ") + token(program, blocked.waits_for[i]);
  if (blocked.waits_for.size() > k_causes)
    text += fmt::format(" and {} more", blocked.waits_for.size() - k_causes);
  return text;
}

std::string grid(const Program& program, const Stuck& stuck) {
  std::string text = fmt::format("{} of {} instructions completed, the rest cannot:\n",
                                 stuck.completed, stuck.total);
  std::vector<const Stuck::Blocked*> rows;
  for (const Stuck::Blocked& blocked : stuck.blocked) rows.push_back(&blocked);
  std::ranges::stable_sort(rows, {}, [&](const Stuck::Blocked* blocked) {
    return program.at(blocked->instruction).device;
  });
  for (std::size_t i = 0; i < std::min(k_rows, rows.size()); ++i) {
    const Instruction& instruction = program.at(rows[i]->instruction);
    text +=
        fmt::format("  d{:<5} {:<10} #{} {}  waits for {}\n", instruction.device.value,
                    to_text(program.lanes()[instruction.lane.index()]), rows[i]->instruction.value,
                    to_text(instruction), causes(program, *rows[i]));
  }
  if (rows.size() > k_rows) text += fmt::format("  and {} lanes more\n", rows.size() - k_rows);
  return text;
}

}  // namespace

Stuck explain_stuck(const Program& program, const std::vector<char>& completed) {
  check(completed.size() == program.size(), "one flag per instruction");
  Stuck stuck;
  stuck.total = program.size();
  const Remainder remainder(program, completed);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (remainder.completed(id)) ++stuck.completed;
    if (remainder.heads_lane(id)) stuck.blocked.push_back({id, remainder.waits_for(id)});
  }
  check(stuck.completed < stuck.total, "a program that ended is not stuck");
  stuck.text = grid(program, stuck);
  return stuck;
}

}  // namespace pipegraph
