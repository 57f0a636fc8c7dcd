#include <algorithm>
#include <ranges>
#include <span>

#include "core/schedule/schedule.h"

namespace pipegraph {
namespace {

std::int64_t round_up(std::int64_t samples, std::int64_t multiple) {
  return (samples + multiple - 1) / multiple * multiple;
}

/// Samples of a micro-batch, and of the k that run in a row.
struct Step {
  std::int64_t size = 1;
  std::int64_t k = 1;
  std::int64_t run() const { return size * k; }
};

/// What a stage needs in flight so that a successor with `successor_bound` never starves.
std::int64_t above_successor(const Step& own, const Step& successor, std::int64_t successor_bound) {
  if (own.k == 1 && successor.k == 1 && own.size > successor.size)
    return round_up(successor_bound, own.size) + own.size;
  return round_up(successor_bound + std::max(own.run(), successor.run()), own.size);
}

/// The rule, from the sinks up. `least` gives each stage what it needs at least, whatever its
/// successors need; `settle` makes of that what its predecessors count from.
template <class Least, class Settle>
std::vector<std::int64_t> bounds_from_sinks(const StageGraph& stages, std::span<const Step> steps,
                                            const Least& least, const Settle& settle) {
  const auto order = topological_order(stages.edges());
  check(order.has_value(), "in-flight samples need an acyclic stage graph");
  std::vector<std::int64_t> bounds(stages.size());
  for (const Digraph::Node node : std::views::reverse(*order)) {
    const auto i = static_cast<std::size_t>(node);
    bounds[i] = least(i);
    for (const Digraph::Node successor : stages.edges().successors(node)) {
      const auto j = static_cast<std::size_t>(successor);
      bounds[i] = std::max(bounds[i], above_successor(steps[i], steps[j], bounds[j]));
    }
    bounds[i] = settle(stages.stages()[i], bounds[i]);
  }
  return bounds;
}

template <class Settle>
std::vector<std::int64_t> bounds_by_rule(const StageGraph& stages, const ScheduleOptions& options,
                                         const Settle& settle) {
  std::vector<Step> steps;
  for (const Stage& stage : stages.stages())
    steps.push_back({std::min(stage.micro_batch, options.mini_batch), stage.k});
  const auto run = [&](std::size_t i) { return steps[i].run(); };
  std::vector<std::int64_t> rule = bounds_from_sinks(stages, steps, run, settle);
  if (options.extra_in_flight == 0) return rule;
  const auto lifted = [&](std::size_t i) {
    const bool sink = stages.edges().successors(static_cast<Digraph::Node>(i)).empty();
    return sink ? rule[i] : round_up(rule[i] + options.extra_in_flight, steps[i].size);
  };
  return bounds_from_sinks(stages, steps, lifted, settle);
}

}  // namespace

std::vector<std::int64_t> in_flight_samples(const StageGraph& stages,
                                            const ScheduleOptions& options) {
  return bounds_by_rule(stages, options, [](const Stage& stage, std::int64_t bound) {
    return stage.in_flight.value_or(bound);
  });
}

std::vector<std::int64_t> warm_up_samples(const StageGraph& stages,
                                          const ScheduleOptions& options) {
  return bounds_by_rule(stages, options, [](const Stage& stage, std::int64_t bound) {
    return std::min(bound, stage.in_flight.value_or(bound));
  });
}

}  // namespace pipegraph
