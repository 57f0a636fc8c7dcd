// Weights before the first step: a function of the seed and the parameter's name alone, so that
// every plan begins with the same ones wherever they are stored.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/computation_graph.h"

namespace pipegraph {

/// The parameters that `owner` owns, as parameter_layout places them.
void fill_initial_weights(const ComputationGraph& graph, OperatorId owner, std::uint64_t seed,
                          std::span<float> into);

}  // namespace pipegraph
