// 1F1B on a chain of v P stages over P device groups, stage s on group s mod P: a device runs its v
// stages in turns of P micro-batches each, so that a micro-batch passes all devices v times and
// filling the pipeline takes a v-th of the time (Narayanan et al., SC 2021). If P does not divide
// M, the order is that of the next multiple of P without the micro-batches that there are not:
// leaving tasks out of an order that runs to its end leaves one that does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <unordered_set>

#include "core/schedule/orders.h"

namespace pipegraph {
namespace {

[[noreturn]] void refuse(const Stage& stage, const std::string& problem,
                         const std::string& expected) {
  throw ConfigError(stage.position, "interleaved_1f1b: " + problem, expected);
}

std::string device_list(const Stage& stage) {
  std::vector<std::int32_t> devices;
  for (const DeviceId device : stage.devices) devices.push_back(device.value);
  return fmt::format("[{}]", fmt::join(devices, ", "));
}

/// The stages in the order in which every sample passes them.
std::vector<StageId> chain_of(const StageGraph& stages) {
  const auto order = topological_order(stages.edges());
  check(order.has_value(), "a schedule needs an acyclic stage graph");
  std::vector<StageId> chain;
  for (const Digraph::Node node : *order) {
    if (!chain.empty()) {
      const auto next = stages.edges().successors(chain.back().value);
      if (!std::binary_search(next.begin(), next.end(), node))
        refuse(stages.at(StageId{node}),
               fmt::format("stages {} and {} do not follow each other",
                           stages.at(chain.back()).name, stages.at(StageId{node}).name),
               "kind: sequential, or schedule: 1f1b, which takes stages that share a device as "
               "they are ready");
    }
    chain.push_back(StageId{node});
  }
  return chain;
}

/// P: after so many stages the devices of the first one come again.
std::size_t count_groups(const StageGraph& stages, const std::vector<StageId>& chain) {
  const Stage& first = stages.at(chain.front());
  for (std::size_t s = 1; s < chain.size(); ++s)
    if (stages.at(chain[s]).devices == first.devices) return s;
  refuse(first, fmt::format("no stage but {} stands on devices {}", first.name, device_list(first)),
         "two or more stages on each device, or schedule: 1f1b");
}

/// The first P stages stand on devices of their own.
void check_disjoint(const StageGraph& stages, std::span<const StageId> first_round) {
  std::unordered_set<DeviceId> taken;
  for (const StageId id : first_round)
    for (const DeviceId device : stages.at(id).devices)
      if (!taken.insert(device).second)
        refuse(stages.at(id),
               fmt::format("stage {} stands on device {} out of turn", stages.at(id).name,
                           device.value),
               "the first stages on different devices, the next ones on the same in this order");
}

/// All others stand where the one P before them does, and the last round is full.
void check_rounds(const StageGraph& stages, const std::vector<StageId>& chain, std::size_t groups) {
  for (std::size_t s = groups; s < chain.size(); ++s) {
    const Stage& stage = stages.at(chain[s]);
    const Stage& above = stages.at(chain[s - groups]);
    if (stage.devices != above.devices)
      refuse(
          stage, fmt::format("stage {} stands on devices {}", stage.name, device_list(stage)),
          fmt::format("those of stage {}, {}, or schedule: 1f1b", above.name, device_list(above)));
  }
  if (chain.size() % groups != 0)
    refuse(stages.at(chain.back()),
           fmt::format("{} stages do not go evenly on {} groups of devices", chain.size(), groups),
           fmt::format("a multiple of {} stages, or schedule: 1f1b", groups));
}

void check_options(const StageGraph& stages, const ScheduleOptions& options) {
  if (options.extra_in_flight != 0)
    throw ConfigError({.key = "extra_in_flight"},
                      "what interleaved_1f1b has in flight follows from its stages and devices",
                      "no extra_in_flight, or schedule: 1f1b");
  const std::int32_t size = std::min(stages.stages().front().micro_batch, options.mini_batch);
  for (const Stage& stage : stages.stages()) {
    if (stage.k != 1) refuse(stage, fmt::format("k is {}", stage.k), "no k, or schedule: kfkb");
    if (stage.in_flight)
      refuse(stage, fmt::format("in_flight is {}", *stage.in_flight),
             "no in_flight, it follows from the stages and devices");
    if (std::min(stage.micro_batch, options.mini_batch) != size)
      refuse(stage,
             fmt::format("the micro-batch of stage {} is {}, that of stage {} is {}", stage.name,
                         stage.micro_batch, stages.stages().front().name,
                         stages.stages().front().micro_batch),
             "one micro_batch for all stages, or schedule: 1f1b");
  }
}

/// Adds the tasks of one device group to the orders of its stages.
class GroupOrder {
 public:
  /// `chunks`: the group's stages, first to last. `group` counts from 0.
  GroupOrder(std::vector<StageId> chunks, std::size_t groups, std::size_t group)
      : chunks_(std::move(chunks)), groups_(groups), group_(group) {}

  void add(const std::vector<MicroBatch>& batches, std::vector<StageSchedule>& orders) {
    const std::size_t v = chunks_.size();
    const std::size_t total = (batches.size() + groups_ - 1) / groups_ * groups_ * v;
    const std::size_t warm_up = std::min(total, 2 * (groups_ - group_ - 1) + (v - 1) * groups_);
    const auto add = [&](Pass pass, std::size_t n) {
      const std::size_t batch = n / (groups_ * v) * groups_ + n % groups_;
      if (batch >= batches.size()) return;
      const std::size_t turn = n % (groups_ * v) / groups_;
      const StageId stage = chunks_[pass == Pass::Forward ? turn : v - 1 - turn];
      orders[stage.index()].tasks.push_back({stage, pass, batches[batch]});
      orders[stage.index()].turns.push_back(turn_++);
    };
    for (std::size_t n = 0; n < warm_up; ++n) add(Pass::Forward, n);
    for (std::size_t n = 0; n < total; ++n) {
      if (n + warm_up < total) add(Pass::Forward, n + warm_up);
      add(Pass::Backward, n);
    }
  }

 private:
  std::vector<StageId> chunks_;
  std::size_t groups_, group_;
  std::int32_t turn_ = 0;
};

}  // namespace

std::vector<StageSchedule> order_interleaved(const StageGraph& stages,
                                             const ScheduleOptions& options) {
  check_options(stages, options);
  const std::vector<StageId> chain = chain_of(stages);
  const std::size_t groups = count_groups(stages, chain);
  check_disjoint(stages, std::span(chain).first(groups));
  check_rounds(stages, chain, groups);
  const std::vector<MicroBatch> batches = micro_batches(
      options.mini_batch, std::min(stages.stages().front().micro_batch, options.mini_batch));
  std::vector<StageSchedule> orders(stages.size());
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<StageId> chunks;
    for (std::size_t s = group; s < chain.size(); s += groups) chunks.push_back(chain[s]);
    GroupOrder(std::move(chunks), groups, group).add(batches, orders);
  }
  for (StageSchedule& order : orders)
    order.in_flight_bound = order.in_flight_peak = peak_in_flight(order.tasks);
  return orders;
}

}  // namespace pipegraph
