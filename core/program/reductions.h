// Which parameters each device stores and updates, and whose gradients are added up between
// devices: tables that follow from the plan alone, shared by lowering, validation and memory.
#pragma once

#include <vector>

#include "core/model/computation_graph.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Gradients that several devices add up once per mini-batch.
struct Reduction {
  StageId stage;                  ///< -1: parameters that several stages share
  OperatorId owner;               ///< of the shared parameters; -1: all the stage's own
  Bytes bytes;                    ///< of the vector of gradients
  std::vector<DeviceId> devices;  ///< two or more; replicas in order, stages in order
  std::vector<StageId> stages;    ///< whose backwards contribute
};

/// The parameters that one stage stores and updates on one of its devices. What several stages of
/// a device share is stored once there and belongs to the first of them.
struct DeviceParameters {
  StageId stage;
  std::int32_t replica = 0;
  DeviceId device;
  Bytes bytes;                     ///< not 0, as the model counts them
  std::vector<OperatorId> owners;  ///< ascending
};

/// By stage, then replica; without those that store nothing.
std::vector<DeviceParameters> device_parameters(const ComputationGraph& graph,
                                                const StageGraph& stages);

/// All of a plan: stages first, then shared parameters by owner. Parameters whose uses all stand on
/// one device, or are nothing, are not among them.
std::vector<Reduction> reductions(const Workload& workload, const StageGraph& stages);

}  // namespace pipegraph
