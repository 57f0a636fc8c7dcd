// A uniform cluster from YAML.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/cluster/topology.h"

namespace pipegraph {

/// `devices`, `latency` (default 0 s), `bandwidth` (`inf` allowed), `device` (default: unlimited
/// memory, no peaks).
Topology read_uniform(MapReader& reader);

}  // namespace pipegraph
