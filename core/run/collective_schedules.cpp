#include "core/run/collective_schedules.h"

#include "core/base/errors.h"
#include "core/collective/collective_time.h"

namespace pipegraph {
namespace {

void check_size(const CollectiveEntry& entry, std::size_t members) {
  if (members <= entry.most_members) return;
  throw ConfigError({},
                    fmt::format("collective '{}' sends message by message, too many for a "
                                "group of {} devices",
                                entry.name, members),
                    "'auto', 'ring_aggregated' or 'hierarchical_aggregated'");
}

void link_dependents(CollectiveSchedule& schedule) {
  const auto& steps = schedule.list.steps;
  schedule.dependent_begin.assign(steps.size() + 1, 0);
  for (const CollectiveStep& step : steps)
    for (std::int32_t before : step.after)
      ++schedule.dependent_begin[static_cast<std::size_t>(before)];
  std::uint32_t end = 0;
  for (std::uint32_t& offset : schedule.dependent_begin) offset = end += offset;
  schedule.dependents.resize(end);
  for (std::size_t i = steps.size(); i-- > 0;)
    for (std::int32_t before : steps[i].after)
      schedule.dependents[--schedule.dependent_begin[static_cast<std::size_t>(before)]] =
          static_cast<std::int32_t>(i);
}

std::string names() {
  std::string text;
  for (const CollectiveEntry& entry : collective_table())
    text += (text.empty() ? "" : ", ") + std::string(entry.name);
  return text;
}

}  // namespace

void check_collectives(const Program& program, const CollectiveOptions& options) {
  const CollectiveEntry* entry = find_collective(options.algorithm);
  if (entry == nullptr)
    throw ConfigError({}, fmt::format("no collective is called '{}'", options.algorithm),
                      "one of " + names());
  for (const Group& group : program.groups()) check_size(*entry, group.devices.size());
}

CollectiveSchedules::CollectiveSchedules(const Program& program, const Topology& topology,
                                         const CollectiveOptions& options)
    : program_(program), topology_(topology), entry_(find_collective(options.algorithm)) {
  check_collectives(program, options);
}

const CollectiveSchedule& CollectiveSchedules::of(const Instruction& all_reduce) {
  const auto [place, added] = schedules_.try_emplace({all_reduce.group, all_reduce.bytes});
  CollectiveSchedule& schedule = place->second;
  if (!added) return schedule;
  const std::vector<DeviceId>& devices = program_.groups()[all_reduce.group.index()].devices;
  schedule.list =
      entry_->steps(all_reduce.bytes.as_double(), collective_members(devices, topology_));
  link_dependents(schedule);
  schedule.time = collective_time(schedule.list, devices, topology_);
  return schedule;
}

}  // namespace pipegraph
