#include "exec/state/failure_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/program/text.h"
#include "core/run/stuck.h"
#include "exec/state/waiting_cycle.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_rows = 64;   // of the grid
constexpr std::size_t k_causes = 3;  // told per row
constexpr std::size_t k_cycle = 12;  // instructions of a deadlock that are told

std::string token(const Program& program, InstructionId id) {
  const Instruction& instruction = program.at(id);
  return fmt::format("#{} {} on d{}", id.value, to_text(instruction), instruction.device.value);
}

std::string place(const Program& program, const Fault& fault) {
  std::string text = fmt::format("rank {}", fault.rank);
  if (fault.device.valid()) text += fmt::format(", device d{}", fault.device.value);
  if (fault.instruction.valid())
    text += fmt::format(", instruction #{} {}", fault.instruction.value,
                        to_text(program.at(fault.instruction)));
  return text;
}

std::string deadlock(const Program& program, const Stuck& stuck) {
  const std::vector<InstructionId> cycle = waiting_cycle(program, stuck);
  if (cycle.empty()) return "";
  std::string text = "deadlock: ";
  const std::size_t told = std::min(cycle.size(), k_cycle);
  for (std::size_t i = 0; i < told; ++i) text += token(program, cycle[i]) + " waits for ";
  text += told < cycle.size() ? "others that wait for " : "";
  return text + token(program, cycle.front()) + "\n";
}

std::string causes(const Program& program, const Stuck::Blocked& blocked) {
  if (blocked.waits_for.empty())
    return is_compute(program.at(blocked.instruction).kind) ? "computes" : "has not ended";
  std::string text = "waits for ";
  for (std::size_t i = 0; i < std::min(k_causes, blocked.waits_for.size()); ++i)
    text += (i == 0 ? "" : ", ") + token(program, blocked.waits_for[i]);
  if (blocked.waits_for.size() > k_causes)
    text += fmt::format(" and {} more", blocked.waits_for.size() - k_causes);
  return text;
}

/// One row per device: its first instruction that has not completed.
std::string grid(const Program& program, const Stuck& stuck) {
  std::vector<const Stuck::Blocked*> first(program.device_count(), nullptr);
  for (const Stuck::Blocked& blocked : stuck.blocked) {
    const Stuck::Blocked*& row = first[program.at(blocked.instruction).device.index()];
    if (row == nullptr) row = &blocked;
  }
  std::string text =
      fmt::format("{} of {} instructions have completed\n", stuck.completed, stuck.total);
  for (std::size_t device = 0; device < std::min(k_rows, first.size()); ++device) {
    text += fmt::format("  d{:<4} ", device);
    text += first[device] == nullptr ? "done\n"
                                     : fmt::format("#{} {} {}\n", first[device]->instruction.value,
                                                   to_text(program.at(first[device]->instruction)),
                                                   causes(program, *first[device]));
  }
  if (first.size() > k_rows) text += fmt::format("  and {} devices more\n", first.size() - k_rows);
  return text;
}

}  // namespace

std::string failure_text(const Program& program, const Fault& fault,
                         const std::vector<char>& completed) {
  const std::string head = fmt::format("{}: {}\n", place(program, fault), fault.what);
  if (std::ranges::find(completed, char{0}) == completed.end())
    return head + "all instructions had completed\n";
  const Stuck stuck = explain_stuck(program, completed);
  // A rank that is not heard of may be in another step than the counts of the others.
  const std::string why = fault.device.valid() ? deadlock(program, stuck) : "";
  return head + why + grid(program, stuck);
}

}  // namespace pipegraph
