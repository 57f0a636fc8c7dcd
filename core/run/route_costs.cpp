#include "core/run/route_costs.h"

namespace pipegraph {

const RouteCost& RouteCosts::between(DeviceId from, DeviceId to) {
  const auto key =
      (static_cast<std::uint64_t>(from.value) << 32) | static_cast<std::uint32_t>(to.value);
  const auto [cost, added] = costs_.try_emplace(key);
  if (added) {
    cost->second.topology = &topology_;
    cost->second.route = topology_.route(from, to);
    cost->second.bandwidth = topology_.bandwidth(cost->second.route);
  }
  return cost->second;
}

}  // namespace pipegraph
