// The inside of a node from the keys of a cluster's map.
#pragma once

#include "core/base/yaml_reader.h"
#include "topologies/node_layout.h"

namespace pipegraph {

/// Reads devices_per_node, sockets, devices_per_socket, device_links, host, pcie_switches,
/// socket_link and nics. docs/topologies.md says what each holds.
NodeOptions read_node(MapReader& reader);

}  // namespace pipegraph
