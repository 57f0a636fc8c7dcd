// A cluster of nodes from YAML.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/cluster/topology.h"

namespace pipegraph {

/// `nodes`, `device`, the keys of a node (node_reader.h) and `fabric` (default: a star).
Topology read_node_cluster(MapReader& reader);

}  // namespace pipegraph
