#include "topologies/table.h"

#include <array>

#include "topologies/node_cluster_reader.h"
#include "topologies/uniform_reader.h"

namespace pipegraph {

std::span<const TopologyShape> topology_shapes() {
  static const std::array<TopologyShape, 2> k_shapes{{
      {"uniform", "one port in and one out per device, all pairs equally far apart", read_uniform},
      {"node_cluster", "nodes of several devices joined by a star, fat tree, dragonfly or torus",
       read_node_cluster},
  }};
  return k_shapes;
}

}  // namespace pipegraph
