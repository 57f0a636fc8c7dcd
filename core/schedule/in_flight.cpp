#include <algorithm>

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

}  // namespace

std::vector<std::int64_t> in_flight_samples(const StageGraph& stages,
                                            const ScheduleOptions& options) {
  const auto order = topological_order(stages.edges());
  check(order.has_value(), "in-flight samples need an acyclic stage graph");
  std::vector<Step> steps;
  for (const Stage& stage : stages.stages())
    steps.push_back({std::min(stage.micro_batch, options.mini_batch), stage.k});

  std::vector<std::int64_t> bounds(stages.size());
  for (auto node = order->rbegin(); node != order->rend(); ++node) {
    const auto i = static_cast<std::size_t>(*node);
    bounds[i] = steps[i].run();
    for (const Digraph::Node successor : stages.edges().successors(*node)) {
      const auto j = static_cast<std::size_t>(successor);
      bounds[i] = std::max(bounds[i], above_successor(steps[i], steps[j], bounds[j]));
    }
    if (const auto given = stages.stages()[i].in_flight) bounds[i] = *given;
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const bool sink = stages.edges().successors(static_cast<Digraph::Node>(i)).empty();
    if (!sink && !stages.stages()[i].in_flight)
      bounds[i] = round_up(bounds[i] + options.extra_in_flight, steps[i].size);
  }
  return bounds;
}

}  // namespace pipegraph
