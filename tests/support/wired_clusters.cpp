#include "tests/support/wired_clusters.h"

#include <fmt/format.h>

#include <memory>

namespace pipegraph::test {
namespace {

class TableRouter : public Router {
 public:
  explicit TableRouter(std::map<std::pair<int, int>, std::vector<int>> routes)
      : routes_(std::move(routes)) {}

  std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
    std::vector<LinkId> crossed;
    for (int link : routes_.at({from.value, to.value})) crossed.push_back(LinkId{link});
    return crossed;
  }

 private:
  std::map<std::pair<int, int>, std::vector<int>> routes_;
};

std::vector<Device> plain_devices(int count) {
  std::vector<Device> devices(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].name = fmt::format("gpu{}", i);
  return devices;
}

}  // namespace

Topology wired_cluster(const Wiring& wiring) {
  return Topology("wired", plain_devices(wiring.devices), wiring.links,
                  std::make_shared<TableRouter>(wiring.routes));
}

Topology mesh_cluster(int devices, Seconds latency, BytesPerSecond bandwidth) {
  Wiring wiring{devices, {}, {}};
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      wiring.routes[{from, to}] = {static_cast<int>(wiring.links.size())};
      wiring.links.push_back({fmt::format("{}->{}", from, to), bandwidth, latency});
    }
  }
  return wired_cluster(wiring);
}

Topology shared_port_cluster(const SharedPorts& ports) {
  const int devices = ports.nodes * ports.per_node;
  Wiring wiring{devices, {}, {}};
  for (int d = 0; d < 2 * devices; ++d)
    wiring.links.push_back({fmt::format("device port {}", d), ports.inside, ports.latency});
  for (int n = 0; n < 2 * ports.nodes; ++n)
    wiring.links.push_back({fmt::format("node port {}", n), ports.between, ports.latency});
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      const int from_node = from / ports.per_node;
      const int to_node = to / ports.per_node;
      std::vector<int>& route = wiring.routes[{from, to}];
      route = {2 * from};
      if (from_node != to_node) {
        route.push_back(2 * devices + 2 * from_node);
        route.push_back(2 * devices + 2 * to_node + 1);
      }
      route.push_back(2 * to + 1);
    }
  }
  Topology topology = wired_cluster(wiring);
  std::vector<Device> placed = topology.devices();
  for (int d = 0; d < devices; ++d) placed[static_cast<std::size_t>(d)].node = d / ports.per_node;
  return Topology("shared ports", std::move(placed), wiring.links,
                  std::make_shared<TableRouter>(wiring.routes));
}

}  // namespace pipegraph::test
