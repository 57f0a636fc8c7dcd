// Sums over a whole model that tests compare with arithmetic on paper.
#pragma once

#include "core/model/computation_graph.h"

namespace pipegraph::test {

/// Everything kept from forward to backward for one sample, each tensor once.
Bytes activation_bytes(const ComputationGraph& graph);

const Operator& find_operator(const ComputationGraph& graph, std::string_view name);

/// Names of an operator's inputs.
std::vector<std::string> input_names(const ComputationGraph& graph, std::string_view name);

}  // namespace pipegraph::test
