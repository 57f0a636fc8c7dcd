// The `cluster:` of a scenario: a file with overrides, or a shape in place.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/cluster/topology.h"

namespace pipegraph {

/// Reads `{file: F, ...}` (each key beside `file` replaces the file's, whole) or `{shape: S, ...}`.
/// The name is the key `name`, else the file's stem, else the shape's. Errors: ConfigError at the
/// value at fault, be it in the file or beside it.
Topology read_cluster(const YamlValue& value);

}  // namespace pipegraph
