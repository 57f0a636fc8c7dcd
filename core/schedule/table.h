// All schedules by name.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/schedule/schedule.h"

namespace pipegraph {

struct ScheduleEntry {
  std::string_view name;         ///< as in YAML: "1f1b", "gpipe", "kfkb"
  std::string_view description;  ///< one line
  std::vector<StageSchedule> (*order_stages)(const StageGraph& stages,
                                             const ScheduleOptions& options);
};

std::span<const ScheduleEntry> schedule_table();
/// nullptr if unknown.
const ScheduleEntry* find_schedule(std::string_view name);

/// The whole way: refuses a cyclic stage graph, orders each stage, merges.
std::variant<Schedule, ScheduleDeadlock> make_schedule(const StageGraph& stages,
                                                       const ScheduleEntry& entry,
                                                       const ScheduleOptions& options);

}  // namespace pipegraph
