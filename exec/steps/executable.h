// What engines that compute for real can run; everything else is refused by name.
#pragma once

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Errors: ConfigError for a precision other than fp32 and fp32_tensor, a stage with tensor
/// parallelism (at the stage), a model without arithmetic (at the operator) or without a loss.
void check_trainable(const Workload& workload, const StageGraph& stages);

}  // namespace pipegraph
