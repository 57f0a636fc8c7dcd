#include "topologies/uniform_reader.h"

#include "topologies/device_reader.h"
#include "topologies/link_reader.h"
#include "topologies/uniform.h"

namespace pipegraph {

Topology read_uniform(MapReader& reader) {
  const auto devices = static_cast<int>(reader.required("devices").as_integer(1, k_most_devices));
  const LinkRate rate = read_link_rate(reader);
  Device device;
  if (auto key = reader.optional("device")) device = read_device(*key);
  return uniform_cluster(devices, rate.latency, rate.bandwidth, device);
}

}  // namespace pipegraph
