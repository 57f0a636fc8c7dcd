// What operators and optimizer steps take on a GPU, by the GPU's own clock: for planners. Operators
// run one after the other on one stream, in the model's order, as in a pass; each lasts from the
// end of the one before it, so that launches that the GPU has to wait for count.
#pragma once

#include "core/stage/workload.h"
#include "exec/measure/operator_profile.h"

namespace pipegraph {

/// On the first GPU, in `options.precision`, which is the graph's; `options.threads` does not
/// matter. Errors: ConfigError for a model that cannot be executed, and for fp16; those of
/// choose_gpus; CudaError.
std::vector<MeasuredOperator> profile_gpu_operators(const ComputationGraph& graph,
                                                    const OperatorProfileOptions& options);

/// Bytes a second at which steps of `optimizer`, which is one, read and write parameters, gradients
/// and state that are too large for caches. Errors: the same.
MeasuredBandwidth measure_gpu_optimizer(Optimizer optimizer, std::int32_t repetitions);

}  // namespace pipegraph
