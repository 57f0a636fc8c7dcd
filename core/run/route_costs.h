// Routes looked up once per pair of devices in use: latency, slowest bandwidth, links.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/cluster/topology.h"

namespace pipegraph {

struct RouteCost {
  Route route;
  BytesPerSecond bandwidth;
  const Topology* topology = nullptr;
  Seconds time(double bytes) const {
    return topology->latency(route, bytes) + Seconds{bytes / bandwidth.value};
  }
};

class RouteCosts {
 public:
  /// `topology` must outlive this.
  explicit RouteCosts(const Topology& topology) : topology_(topology) {}

  /// Valid as long as this. Errors: InternalError if an end is not a device of the topology.
  const RouteCost& between(DeviceId from, DeviceId to);

 private:
  const Topology& topology_;
  std::unordered_map<std::uint64_t, RouteCost> costs_;  // only looked up
};

}  // namespace pipegraph
