#include "core/program/optimizer_step.h"

#include <algorithm>
#include <unordered_map>

#include "core/program/task_slots.h"
#include "core/stage/parameters.h"
#include "core/stage/stage_costs.h"

namespace pipegraph {

std::vector<DeviceParameters> device_parameters(const ComputationGraph& graph,
                                                const StageGraph& stages) {
  std::vector<char> shared(graph.size(), 0);
  for (const SharedParameters& parameters : shared_parameters(graph, stages))
    shared[parameters.owner.index()] = 1;
  std::unordered_map<DeviceId, std::vector<OperatorId>> stored;  // shared ones, by device
  std::vector<DeviceParameters> result;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    const std::vector<OperatorId> owners = parameter_owners(graph, stage);
    for (std::int32_t r = 0; r < stage.replicas(); ++r) {
      DeviceParameters own{make_id<StageId>(s), r, replica_device(stage, r), {}, {}};
      for (const OperatorId owner : owners) {
        if (shared[owner.index()] != 0) {
          std::vector<OperatorId>& known = stored[own.device];
          if (std::find(known.begin(), known.end(), owner) != known.end()) continue;
          known.push_back(owner);
        }
        own.owners.push_back(owner);
        own.bytes += graph.at(owner).parameters;
      }
      if (own.bytes.count > 0) result.push_back(std::move(own));
    }
  }
  return result;
}

void add_optimizer_steps(const Workload& workload, const std::vector<DeviceParameters>& parameters,
                         const GradientReduction& gradients, ProgramBuilder& builder) {
  if (workload.training.optimizer == Optimizer::None) return;
  for (const DeviceParameters& own : parameters) {
    Instruction i;
    i.kind = InstructionKind::Optimizer;
    i.device = own.device;
    i.lane = builder.lane({own.device, LaneKind::Compute, {}, {}});
    i.stage = own.stage;
    i.duration =
        optimizer_time(workload.training, own.bytes, workload.topology->device(own.device));
    builder.add(i, gradients.gradients_ready(own.stage, own.replica));
  }
}

}  // namespace pipegraph
