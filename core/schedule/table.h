// All schedules by name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/schedule/schedule.h"

namespace pipegraph {

/// Whether `extra_in_flight` means anything.
enum class InFlight : std::uint8_t {
  Chosen,  ///< as many samples as the plan says
  Fixed,   ///< what the schedule says; more is an error
};

/// Which plans a schedule can order.
enum class DeviceSharing : std::uint8_t {
  Any,    ///< each device has one stage or several
  Turns,  ///< a chain that passes all devices, in their order, two or more times
};

struct ScheduleEntry {
  std::string_view name;         ///< as in YAML: "1f1b", "gpipe", "kfkb"
  std::string_view description;  ///< one line
  std::vector<StageSchedule> (*order_stages)(const StageGraph& stages,
                                             const ScheduleOptions& options);
  InFlight in_flight = InFlight::Chosen;
  DeviceSharing sharing = DeviceSharing::Any;
};

std::span<const ScheduleEntry> schedule_table();
/// nullptr if unknown.
const ScheduleEntry* find_schedule(std::string_view name);

/// The whole way: refuses a cyclic stage graph, orders each stage, merges.
std::variant<Schedule, ScheduleDeadlock> make_schedule(const StageGraph& stages,
                                                       const ScheduleEntry& entry,
                                                       const ScheduleOptions& options);

}  // namespace pipegraph
