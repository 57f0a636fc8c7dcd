// What passes that have not been lowered yet will wait for: one list per task, taken when its turn
// comes. Entries are recycled, so this holds no more than what is under way.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace pipegraph {

class PendingWaits {
 public:
  explicit PendingWaits(std::size_t tasks) : first_(tasks, -1) {}

  void add(std::size_t task, InstructionId waits_on) {
    std::int32_t entry = free_;
    if (entry >= 0) {
      free_ = entries_[static_cast<std::size_t>(entry)].next;
    } else {
      entry = static_cast<std::int32_t>(entries_.size());
      entries_.emplace_back();
    }
    entries_[static_cast<std::size_t>(entry)] = {waits_on, first_[task]};
    first_[task] = entry;
  }

  /// Appends the task's list to `waits` and empties it.
  void take(std::size_t task, std::vector<InstructionId>& waits) {
    std::int32_t entry = first_[task];
    first_[task] = -1;
    while (entry >= 0) {
      Entry& current = entries_[static_cast<std::size_t>(entry)];
      waits.push_back(current.waits_on);
      const std::int32_t next = current.next;
      current.next = free_;
      free_ = entry;
      entry = next;
    }
  }

 private:
  struct Entry {
    InstructionId waits_on;
    std::int32_t next = -1;
  };
  std::vector<std::int32_t> first_;
  std::vector<Entry> entries_;
  std::int32_t free_ = -1;
};

}  // namespace pipegraph
