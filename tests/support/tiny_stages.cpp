#include "tests/support/tiny_stages.h"

namespace pipegraph::test {

std::vector<Stage> stage_per_operator(const ComputationGraph& graph, std::int32_t micro_batch) {
  return stage_per_operator(graph, std::vector<std::int32_t>(graph.size(), micro_batch));
}

std::vector<Stage> stage_per_operator(const ComputationGraph& graph,
                                      const std::vector<std::int32_t>& micro_batch) {
  std::vector<Stage> stages(graph.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i].name = graph.operators()[i].name;
    stages[i].operators = {make_id<OperatorId>(i)};
    stages[i].devices = {make_id<DeviceId>(i)};
    stages[i].micro_batch = micro_batch.at(i);
  }
  return stages;
}

std::vector<Stage> replicated(std::vector<Stage> stages, int replicas) {
  std::int32_t device = 0;
  for (Stage& stage : stages) {
    stage.devices.clear();
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId{device++});
  }
  return stages;
}

Workload tiny_workload(ComputationGraph graph, Topology topology, const Training& training) {
  Workload workload;
  workload.graph = std::make_shared<const ComputationGraph>(std::move(graph));
  workload.topology = std::make_shared<const Topology>(std::move(topology));
  workload.costs = std::make_shared<const RooflineCosts>(*workload.graph);
  workload.training = training;
  return workload;
}

}  // namespace pipegraph::test
