#include "core/program/flows.h"

namespace pipegraph {

StageFlows::StageFlows(const ComputationGraph& graph, const StageGraph& stages) {
  for (auto& by_stage : from_) by_stage.resize(stages.size());
  for (auto& by_stage : to_) by_stage.resize(stages.size());
  for (const StageEdge& edge : stages.transfers()) {
    add({edge.from, edge.to, edge.tensors}, Direction::Forward);
    StageFlow back{edge.to, edge.from, {}};
    for (const OperatorId tensor : edge.tensors)
      if (graph.at(tensor).output_needs_gradient) back.tensors.push_back(tensor);
    const bool consecutive =
        stages.kind() == PlanKind::Sequential && edge.to.value == edge.from.value + 1;
    if (consecutive || !back.tensors.empty()) add(back, Direction::Backward);
  }
}

void StageFlows::add(const StageFlow& flow, Direction direction) {
  from_[index(direction)][flow.producer.index()].push_back(flow);
  to_[index(direction)][flow.consumer.index()].push_back(flow);
}

}  // namespace pipegraph
