// The last pass of the lowering: optimizer steps, at the end of each compute lane in stage order.
#pragma once

#include <vector>

#include "core/program/gradient_reduction.h"

namespace pipegraph {

/// The parameters that one stage's optimizer step updates on one of its devices. What several
/// stages of a device share is stored once there and belongs to the first of them.
struct DeviceParameters {
  StageId stage;
  std::int32_t replica = 0;
  DeviceId device;
  Bytes bytes;                     ///< not 0
  std::vector<OperatorId> owners;  ///< ascending
};

/// By stage, then replica; without those that store nothing.
std::vector<DeviceParameters> device_parameters(const ComputationGraph& graph,
                                                const StageGraph& stages);

/// Adds the steps of `parameters`, each waiting for its own reductions only; none without an
/// optimizer. Their time is 0 where the memory bandwidth is unknown.
void add_optimizer_steps(const Workload& workload, const std::vector<DeviceParameters>& parameters,
                         const GradientReduction& gradients, ProgramBuilder& builder);

}  // namespace pipegraph
