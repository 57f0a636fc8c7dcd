#include "core/schedule/list_deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace pipegraph {
namespace {

std::string token(const TaskLayout& layout, TaskLayout::Ref ref) {
  const TaskLayout::Slot& slot = layout.slots()[static_cast<std::size_t>(ref.slot)];
  return fmt::format("{} on d{}", to_text(layout.task(slot, ref.task)), slot.device.value);
}

/// The first task that the blocked head of `slot` waits for and that has not run.
TaskLayout::Ref unfinished_dependency(const TaskLayout& layout, std::int32_t slot,
                                      const std::vector<std::int32_t>& next) {
  const auto index = static_cast<std::size_t>(slot);
  TaskLayout::Ref found{-1, -1};
  layout.for_each_dependency(layout.slots()[index], next[index], [&](TaskLayout::Ref ref) {
    if (found.slot < 0 && ref.task >= next[static_cast<std::size_t>(ref.slot)]) found = ref;
  });
  check(found.slot >= 0, "a blocked task waits for something");
  return found;
}

std::int32_t first_blocked(const TaskLayout& layout, const std::vector<std::int32_t>& next) {
  for (std::size_t s = 0; s < next.size(); ++s)
    if (static_cast<std::size_t>(next[s]) < layout.tasks_of(layout.slots()[s]))
      return static_cast<std::int32_t>(s);
  throw InternalError("a deadlock blocks somebody");
}

}  // namespace

ScheduleDeadlock describe_deadlock(const TaskLayout& layout,
                                   const std::vector<std::int32_t>& next) {
  std::vector<char> seen(next.size(), 0);
  std::int32_t slot = first_blocked(layout, next);
  while (!seen[static_cast<std::size_t>(slot)]) {
    seen[static_cast<std::size_t>(slot)] = 1;
    slot = unfinished_dependency(layout, slot, next).slot;
  }
  const std::int32_t start = slot;  // on the cycle
  std::string text = token(layout, {slot, next[static_cast<std::size_t>(slot)]});
  const char* joint = " waits for ";
  do {
    const TaskLayout::Ref waited = unfinished_dependency(layout, slot, next);
    const TaskLayout::Ref head{waited.slot, next[static_cast<std::size_t>(waited.slot)]};
    text += joint + token(layout, waited);
    if (waited.task != head.task) text += ", which stands behind " + token(layout, head);
    joint = ", which waits for ";
    slot = waited.slot;
  } while (slot != start);
  return {text};
}

}  // namespace pipegraph
