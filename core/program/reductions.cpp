#include "core/program/reductions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/program/task_slots.h"
#include "core/stage/parameter_copies.h"
#include "core/stage/parameters.h"

namespace pipegraph {

namespace {

/// Devices of several stages, each once, in order of stages and replicas.
std::vector<DeviceId> union_of_devices(const StageGraph& stages, const std::vector<StageId>& of) {
  std::vector<DeviceId> devices;
  std::unordered_set<DeviceId> known;
  for (const StageId stage : of)
    for (const DeviceId device : replica_devices(stages.at(stage)))
      if (known.insert(device).second) devices.push_back(device);
  return devices;
}

}  // namespace

std::vector<Reduction> reductions(const Workload& workload, const StageGraph& stages) {
  const ComputationGraph& graph = *workload.graph;
  const std::vector<SharedParameters> shared = shared_parameters(graph, stages);
  std::vector<Bytes> own;
  for (const Stage& stage : stages.stages()) own.push_back(parameters_of(graph, stage));
  for (const SharedParameters& parameters : shared)
    for (const StageId stage : parameters.stages) own[stage.index()] -= parameters.bytes;

  std::vector<Reduction> result;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto stage = make_id<StageId>(s);
    if (stages.at(stage).replicas() > 1 && own[s].count > 0)
      result.push_back({stage, {}, own[s], replica_devices(stages.at(stage)), {stage}});
  }
  for (const SharedParameters& parameters : shared) {
    std::vector<DeviceId> devices = union_of_devices(stages, parameters.stages);
    if (devices.size() > 1)
      result.push_back(
          {{}, parameters.owner, parameters.bytes, std::move(devices), parameters.stages});
  }
  for (Reduction& reduction : result)
    reduction.bytes = reduced_bytes(workload.training, reduction.bytes);
  return result;
}

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

}  // namespace pipegraph
