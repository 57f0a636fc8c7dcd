// Whether sizes stay within 64 bits: what a model and a mini-batch ask for together.
#pragma once

#include "core/base/errors.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Most that the tensors of a whole mini-batch may add up to: 1 EiB. Any device's sum of them, of
/// parameters (computation_graph.h) and of reserved memory then is a number of 64 bits.
inline constexpr Bytes k_most_mini_batch_bytes{std::uint64_t{1} << 60};

/// Errors: ConfigError at `mini_batch`, where the mini-batch was chosen, if they are more: outputs,
/// what every reader of one receives and sends back, and what is kept for the backward.
void check_mini_batch_bytes(const ComputationGraph& graph, const Training& training,
                            const SourcePosition& mini_batch);

}  // namespace pipegraph
