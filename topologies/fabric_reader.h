// The network between nodes from YAML: `{kind: star | fat_tree | dragonfly | torus, ...}`.
#pragma once

#include "core/base/yaml_reader.h"
#include "topologies/node_cluster.h"

namespace pipegraph {

struct ReadFabric {
  FabricOptions options;
  Wiring wiring = Wiring::ByNode;
};

/// docs/topologies.md lists the keys of each kind.
ReadFabric read_fabric(const YamlValue& value);

}  // namespace pipegraph
