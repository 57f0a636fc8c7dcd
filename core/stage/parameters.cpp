#include "core/stage/parameters.h"

#include <algorithm>

namespace pipegraph {

std::vector<OperatorId> parameter_owners(const ComputationGraph& graph, const Stage& stage) {
  std::vector<OperatorId> owners;
  for (const OperatorId op : stage.operators) {
    const OperatorId owner = graph.parameter_owner(op);
    if (graph.at(owner).parameters.count > 0) owners.push_back(owner);
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

Bytes parameters_of(const ComputationGraph& graph, const Stage& stage) {
  Bytes total;
  for (const OperatorId owner : parameter_owners(graph, stage)) total += graph.at(owner).parameters;
  return total;
}

std::vector<SharedParameters> shared_parameters(const ComputationGraph& graph,
                                                const StageGraph& stages) {
  std::vector<std::vector<StageId>> users(graph.size());
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const OperatorId owner : parameter_owners(graph, stages.stages()[s]))
      users[owner.index()].push_back(make_id<StageId>(s));
  std::vector<SharedParameters> shared;
  for (std::size_t op = 0; op < users.size(); ++op) {
    const auto owner = make_id<OperatorId>(op);
    if (users[op].size() > 1)
      shared.push_back({owner, graph.at(owner).parameters, std::move(users[op])});
  }
  return shared;
}

}  // namespace pipegraph
