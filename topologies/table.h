// The shapes a cluster file may name. To add one: its files, and a line in table.cpp.
#pragma once

#include <span>
#include <string>

#include "core/base/yaml_reader.h"
#include "core/cluster/topology.h"

namespace pipegraph {

struct TopologyShape {
  std::string name;     ///< as in `shape:`
  std::string summary;  ///< one line for people
  /// Reads the shape's own keys from an opened map; the caller reads `shape`, `name`,
  /// `device_overrides` and rejects the rest.
  Topology (*read)(MapReader& reader);
};

std::span<const TopologyShape> topology_shapes();

}  // namespace pipegraph
