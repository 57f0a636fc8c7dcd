#include "core/planners/least_memory.h"

#include <algorithm>

#include "core/program/footprint.h"
#include "core/stage/parameter_copies.h"
#include "core/stage/parameters.h"

namespace pipegraph {

Bytes least_memory(const Workload& workload, const Stage& stage, const StageSchedule& order) {
  const ComputationGraph& graph = *workload.graph;
  const Footprint kept = footprint(graph, stage);
  Bytes per_sample = kept.given;
  for (const OperatorId tensor : kept.tensors) per_sample += graph.at(tensor).output;
  const auto replicas = static_cast<std::uint64_t>(stage.replicas());
  const Bytes in_flight{per_sample.count * static_cast<std::uint64_t>(order.in_flight_peak) /
                        replicas};
  return parameters_of(graph, stage) * parameter_copies(workload.training).all() + in_flight;
}

bool exceeds_memory(const Workload& workload, const StageGraph& stages,
                    const std::vector<StageSchedule>& orders, double part) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    Bytes most;
    for (const DeviceId id : stage.devices) {
      const Device& device = workload.topology->device(id);
      most = std::max(most, device.memory - std::min(device.reserved, device.memory));
    }
    if (least_memory(workload, stage, orders[s]).as_double() > most.as_double() * part) return true;
  }
  return false;
}

}  // namespace pipegraph
