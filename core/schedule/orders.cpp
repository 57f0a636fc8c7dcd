#include "core/schedule/orders.h"

#include <algorithm>

namespace pipegraph {

StageSchedule alternate(const StageGraph& stages, StageId stage, const Alternation& alternation,
                        std::int32_t mini_batch) {
  const std::int64_t size = std::min(stages.at(stage).micro_batch, mini_batch);
  const std::vector<MicroBatch> batches =
      micro_batches(mini_batch, static_cast<std::int32_t>(size));
  StageSchedule order;
  order.in_flight_bound = alternation.in_flight_bound;
  order.tasks.reserve(2 * batches.size());
  std::size_t forward = 0;
  std::size_t backward = 0;
  const auto run = [&](Pass pass, std::size_t& next, std::size_t last) {
    for (; next < std::min(last, batches.size()); ++next)
      order.tasks.push_back({stage, pass, batches[next]});
  };
  run(Pass::Forward, forward,
      static_cast<std::size_t>((alternation.in_flight_bound + size - 1) / size));
  const auto k = static_cast<std::size_t>(alternation.k);
  while (backward < batches.size()) {
    run(Pass::Backward, backward, backward + k);
    run(Pass::Forward, forward, forward + k);
  }
  order.in_flight_peak = peak_in_flight(order.tasks);
  return order;
}

std::int64_t peak_in_flight(const std::vector<Task>& tasks) {
  std::int64_t now = 0;
  std::int64_t peak = 0;
  for (const Task& task : tasks) {
    if (task.pass == Pass::Forward) now += task.samples.samples();
    peak = std::max(peak, now);
    if (task.pass == Pass::Backward || task.pass == Pass::BackwardWeight)
      now -= task.samples.samples();
  }
  return peak;
}

}  // namespace pipegraph
