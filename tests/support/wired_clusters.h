// Clusters wired by hand: every link and every route written down, for examples one can redo on
// paper.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/cluster/topology.h"

namespace pipegraph::test {

/// Links by number, and the links of each route in use.
struct Wiring {
  int devices = 2;
  std::vector<Link> links;
  std::map<std::pair<int, int>, std::vector<int>> routes;
};
Topology wired_cluster(const Wiring& wiring);

/// A private link from every device to every other, so that only equal pairs share one.
Topology mesh_cluster(int devices, Seconds latency, BytesPerSecond bandwidth);

/// Nodes of `per_node` devices, which share one port out of their node and one into it.
struct SharedPorts {
  int nodes = 2;
  int per_node = 2;
  Seconds latency{1e-6};        ///< of each link
  BytesPerSecond inside{10e9};  ///< device ports
  BytesPerSecond between{2e9};  ///< node ports
};
Topology shared_port_cluster(const SharedPorts& ports);

}  // namespace pipegraph::test
