// The explicit model: a list of operators with their costs or their work, as written in YAML.
#pragma once

#include <string>

#include "core/base/yaml_reader.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// Reads the sequence `operators`; keys of an operator are those of docs/models.md. Inputs may name
/// earlier and later operators. Errors: ConfigError at the key for anything that is not as it
/// should be, and as ComputationGraph.
ComputationGraph read_operator_list(const YamlValue& operators, const std::string& name);

}  // namespace pipegraph
