// Cables from YAML.
#pragma once

#include "core/base/yaml_reader.h"
#include "topologies/link_rate.h"

namespace pipegraph {

/// The keys `bandwidth` (required) and `latency` (default 0 s) of an already opened map.
LinkRate read_link_rate(MapReader& reader);
/// `{bandwidth, latency}` and nothing else.
LinkRate read_link_rate(const YamlValue& value);

}  // namespace pipegraph
