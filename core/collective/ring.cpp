#include "core/collective/algorithms.h"
#include "core/collective/ring_phase.h"

namespace pipegraph {

StepList ring_steps(double bytes, const CollectiveMembers& members) {
  if (members.size() < 2) return {};
  const auto size = static_cast<std::int32_t>(members.size());
  const Ring ring{ring_order(members), {0, size}};
  RingSchedule schedule(bytes, size, members.size());
  schedule.add(ring, RingTrip::Scatter, RingFidelity::Stepwise);
  schedule.add(ring, RingTrip::Gather, RingFidelity::Stepwise);
  return std::move(schedule).take();
}

StepList ring_aggregated_steps(double bytes, const CollectiveMembers& members) {
  StepList list;
  const auto size = static_cast<std::int32_t>(members.size());
  if (size < 2) return list;
  list.chunks = size;
  list.steps.reserve(members.size());
  const std::vector<std::int32_t> order = ring_order(members);
  for (std::size_t i = 0; i < order.size(); ++i) {
    CollectiveStep step;
    step.from = order[i];
    step.to = order[(i + 1) % order.size()];
    step.bytes = 2.0 * (size - 1) / size * bytes;
    step.extra_latencies = 2 * (size - 1) - 1;
    step.chunks = {0, size};
    step.effect = StepEffect::Folded;
    list.steps.push_back(std::move(step));
  }
  return list;
}

}  // namespace pipegraph
