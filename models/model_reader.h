// The model of a scenario: a family with parameters, a file, or operators in place.
#pragma once

#include "core/base/precision.h"
#include "core/base/yaml_reader.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// Reads `{family: NAME, parameters...}`, `{file: F, ...}` (a file of any of these forms; keys
/// beside `file` replace the file's), `{import: FORMAT, file: F, ...}` or `{name: N, operators:
/// [...]}`. Families size their tensors
/// by `precision`; explicit operators stand as given. Errors: ConfigError for anything that is not
/// as it should be, unknown keys included.
ComputationGraph read_model(const YamlValue& value, Precision precision);

}  // namespace pipegraph
