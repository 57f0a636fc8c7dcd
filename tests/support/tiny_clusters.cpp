#include "tests/support/tiny_clusters.h"

#include <limits>

#include "topologies/uniform.h"

namespace pipegraph::test {

Topology ideal_cluster(int devices, const Device& device) {
  return delayed_cluster(devices, Seconds{0}, device);
}

Topology delayed_cluster(int devices, Seconds latency, const Device& device) {
  return ported_cluster(devices, latency, {std::numeric_limits<double>::infinity()}, device);
}

Topology ported_cluster(int devices, Seconds latency, BytesPerSecond bandwidth,
                        const Device& device) {
  return uniform_cluster(devices, latency, bandwidth, device);
}

Device round_device() {
  Device device;
  device.memory = Bytes{1'000'000'000};
  device.memory_bandwidth = {1e9};
  device.peak.fill({1e12});
  return device;
}

}  // namespace pipegraph::test
