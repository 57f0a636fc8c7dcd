// What engines that compute for real can run; everything else is refused by name.
#pragma once

#include <array>
#include <span>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// What cores of a machine compute in.
inline constexpr std::array k_fp32_alone{Precision::Fp32, Precision::Fp32Tensor};

/// Errors: ConfigError for a precision that is not among `precisions`, a stage with tensor
/// parallelism (at the stage), a model without arithmetic (at the operator) or without a loss.
void check_trainable(const Workload& workload, const StageGraph& stages,
                     std::span<const Precision> precisions = k_fp32_alone);

}  // namespace pipegraph
