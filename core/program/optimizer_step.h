// The last pass of the lowering: optimizer steps, at the end of each compute lane in stage order.
#pragma once

#include <vector>

#include "core/program/gradient_reduction.h"

namespace pipegraph {

/// Adds the steps of `parameters`, each waiting for its own reductions only; none without an
/// optimizer. Their time is 0 where the memory bandwidth is unknown.
void add_optimizer_steps(const Workload& workload, const std::vector<DeviceParameters>& parameters,
                         const GradientReduction& gradients, ProgramBuilder& builder);

}  // namespace pipegraph
