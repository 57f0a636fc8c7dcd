#include "core/program/program.h"

#include <fmt/format.h>

#include <array>

#include "core/base/errors.h"

namespace pipegraph {

std::string_view to_text(InstructionKind kind) {
  static constexpr std::array<std::string_view, 8> k_names{
      "forward", "backward", "backward_input", "backward_weight",
      "send",    "recv",     "all_reduce",     "optimizer"};
  return k_names[static_cast<std::size_t>(kind)];
}

std::string to_text(const Lane& lane) {
  switch (lane.kind) {
    case LaneKind::Compute:
      return "compute";
    case LaneKind::Send:
      return fmt::format("to d{}", lane.peer.value);
    case LaneKind::Recv:
      return fmt::format("from d{}", lane.peer.value);
    case LaneKind::Collective:
      return fmt::format("group {}", lane.group.value);
  }
  return {};
}

Program Program::with_durations(std::span<const Seconds> durations) const {
  check(durations.size() == size(), "a time for every instruction");
  Program copy = *this;
  for (std::size_t i = 0; i < copy.size(); ++i) copy.instructions_[i].duration = durations[i];
  return copy;
}

}  // namespace pipegraph
