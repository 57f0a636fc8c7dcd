#include "core/collective/collective_time.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pipegraph {
namespace {

struct EdgeCost {
  Route route;
  BytesPerSecond bandwidth;
};

}  // namespace

CollectiveMembers collective_members(std::span<const DeviceId> devices, const Topology& topology) {
  CollectiveMembers members;
  members.node.reserve(devices.size());
  for (DeviceId device : devices) members.node.push_back(topology.device(device).node);
  return members;
}

Seconds collective_time(const StepList& list, std::span<const DeviceId> devices,
                        const Topology& topology) {
  std::unordered_map<std::int64_t, EdgeCost> edges;  // only looked up
  std::vector<Seconds> end(list.steps.size());
  Seconds last{0};
  for (std::size_t i = 0; i < list.steps.size(); ++i) {
    const CollectiveStep& step = list.steps[i];
    const auto key = (static_cast<std::int64_t>(step.from) << 32) | step.to;
    const auto [edge, added] = edges.try_emplace(key);
    if (added) {
      Route route = topology.route(devices[static_cast<std::size_t>(step.from)],
                                   devices[static_cast<std::size_t>(step.to)]);
      const BytesPerSecond slowest = topology.bandwidth(route);
      edge->second = {std::move(route), slowest};
    }
    Seconds start{0};
    for (std::int32_t before : step.after)
      start = std::max(start, end[static_cast<std::size_t>(before)]);
    const double messages = 1.0 + step.extra_latencies;
    end[i] = start + topology.latency(edge->second.route, step.bytes / messages) * messages +
             Seconds{step.bytes / edge->second.bandwidth.value};
    last = std::max(last, end[i]);
  }
  return last;
}

}  // namespace pipegraph
