#include "core/planners/options.h"

#include <array>
#include <limits>

#include "core/schedule/table.h"

namespace pipegraph {
namespace {

constexpr std::int64_t k_most_samples = std::numeric_limits<std::int32_t>::max();

/// The value of `key` as one of `names`, or `otherwise`.
template <class Enum, std::size_t N>
Enum choice(MapReader& map, const std::string& key, const std::array<std::string, N>& names,
            Enum otherwise) {
  const auto value = map.optional(key);
  return value ? static_cast<Enum>(value->as_choice(names)) : otherwise;
}

std::string read_schedule(MapReader& map) {
  const auto value = map.optional("schedule");
  if (!value) return "1f1b";
  std::vector<std::string> names;
  for (const ScheduleEntry& entry : schedule_table()) names.emplace_back(entry.name);
  return names[value->as_choice(names)];
}

std::vector<std::int32_t> read_micro_batches(MapReader& map) {
  const auto value = map.optional("micro_batch");
  if (!value) return {};
  std::vector<YamlValue> items{*value};
  if (value->is_sequence()) items = value->items();
  if (items.empty()) value->fail("no micro-batch size", "at least one number of samples");
  std::vector<std::int32_t> sizes;
  for (const YamlValue& item : items)
    sizes.push_back(static_cast<std::int32_t>(item.as_integer(1, k_most_samples)));
  return sizes;
}

}  // namespace

ConfiguredPlanner read_planner(MapReader& map, const PlannerEntry& entry) {
  ConfiguredPlanner planner;
  PlannerOptions& options = planner.options;
  const auto name = map.optional("name");
  options.name = name ? name->as_string() : std::string(entry.name);
  options.kind = choice(map, "kind", std::array<std::string, 2>{"graph", "sequential"}, entry.kind);
  options.schedule = read_schedule(map);
  if (const auto extra = map.optional("extra_in_flight"))
    options.extra_in_flight = extra->as_integer(0, k_most_samples);
  options.skip_transfer = choice(
      map, "skip_transfer", std::array<std::string, 2>{"direct", "relay"}, SkipTransfer::Direct);
  if (const auto slots = map.optional("receive_slots"))
    options.receive_slots = static_cast<std::int32_t>(slots->as_integer(1, k_most_samples));
  options.micro_batches = read_micro_batches(map);
  options.device_use = choice(map, "device_use", std::array<std::string, 2>{"at_most", "exactly"},
                              DeviceUse::AtMost);
  options.choose = choice(map, "choose", std::array<std::string, 2>{"iteration_time", "objective"},
                          Choose::IterationTime);
  planner.run = entry.configure(map);
  return planner;
}

}  // namespace pipegraph
