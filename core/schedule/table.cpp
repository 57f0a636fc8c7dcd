#include "core/schedule/table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/schedule/orders.h"

namespace pipegraph {
namespace {

constexpr std::array k_schedules{
    ScheduleEntry{"1f1b", "one backward, one forward in turn; least samples in flight",
                  order_one_forward_one_backward},
    ScheduleEntry{"gpipe", "all forwards, then all backwards; the whole mini-batch in flight",
                  order_gpipe, InFlight::Fixed},
    ScheduleEntry{"kfkb", "k backwards, k forwards in turn (k: of each stage)",
                  order_k_forward_k_backward},
    ScheduleEntry{"zb1p", "1f1b with split backwards: the weights' gradients fill the bubble",
                  order_zero_bubble},
    ScheduleEntry{"interleaved_1f1b", "1f1b in turns of the several stages that each device holds",
                  order_interleaved, InFlight::Fixed, DeviceSharing::Turns},
};

/// The first forwards of the stages around a cycle, each waiting for the one before it.
ScheduleDeadlock cyclic_stages(const StageGraph& stages, std::int32_t mini_batch) {
  std::vector<Digraph::Node> cycle = find_cycle(stages.edges());
  std::reverse(cycle.begin(), cycle.end());
  cycle.push_back(cycle.front());
  std::vector<std::string> tokens;
  for (const Digraph::Node node : cycle) {
    const StageId id{node};
    const Stage& stage = stages.at(id);
    const Task task{id, Pass::Forward, {0, std::min(stage.micro_batch, mini_batch)}};
    tokens.push_back(fmt::format("{} on d{}", to_text(task), stage.devices.front().value));
  }
  const std::string first = tokens.front();
  tokens.erase(tokens.begin());
  return {fmt::format("{} waits for {}", first, fmt::join(tokens, ", which waits for "))};
}

}  // namespace

std::span<const ScheduleEntry> schedule_table() { return k_schedules; }

const ScheduleEntry* find_schedule(std::string_view name) {
  const auto found = std::find_if(k_schedules.begin(), k_schedules.end(),
                                  [&](const ScheduleEntry& entry) { return entry.name == name; });
  return found == k_schedules.end() ? nullptr : &*found;
}

std::variant<Schedule, ScheduleDeadlock> make_schedule(const StageGraph& stages,
                                                       const ScheduleEntry& entry,
                                                       const ScheduleOptions& options) {
  if (!stages.acyclic()) return cyclic_stages(stages, options.mini_batch);
  return merge_stage_schedules(stages, entry.order_stages(stages, options));
}

}  // namespace pipegraph
