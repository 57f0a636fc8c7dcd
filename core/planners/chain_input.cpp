#include "core/planners/chain_input.h"

#include <algorithm>
#include <map>

#include "core/stage/parameter_copies.h"

namespace pipegraph {
namespace {

/// Machines hold segments of the chain one after the other: a stage's places, by (machine, worker).
struct Places {
  int machine = 0;  ///< first of the segment at hand
  int worker = 0;   ///< workers that the segment's earlier stages use
  int repeats = 0;  ///< machines of the segment at hand
};

}  // namespace

ChainInput chain_input(const Workload& workload, const ChainInputOptions& options) {
  return chain_input(workload, search_input(workload), options);
}

ChainInput chain_input(const Workload& workload, SearchInput search,
                       const ChainInputOptions& options) {
  ChainInput input;
  input.search = std::move(search);
  ChainProblem& problem = input.problem;
  problem.base = input.search.problem;
  problem.base.in_flight = InFlightRule::Position;
  problem.costs = batch_costs(workload, input.search, options.micro_batch);
  problem.levels = options.levels;
  problem.sync = options.sync;
  problem.exactly = options.exactly;
  for (const std::vector<OperatorId>& block : input.search.blocks) {
    double bytes = 0.0;
    for (const OperatorId op : block)
      bytes += reduced_bytes(workload.training, workload.graph->at(op).parameters).as_double();
    problem.parameters.push_back(bytes);
  }
  return input;
}

std::vector<ChainLevel> levels_of(const Topology& topology) {
  std::map<int, int> devices_of_node;
  for (const Device& device : topology.devices()) ++devices_of_node[device.node];
  const auto bandwidth = [&](bool same_node) {
    for (std::size_t to = 1; to < topology.size(); ++to)
      if ((topology.devices()[to].node == topology.devices()[0].node) == same_node)
        return topology.bandwidth(topology.route(DeviceId{0}, make_id<DeviceId>(to))).value;
    return std::numeric_limits<double>::infinity();
  };
  const int per_node = devices_of_node.begin()->second;
  const bool equal = std::ranges::all_of(devices_of_node,
                                         [&](const auto& node) { return node.second == per_node; });
  const auto devices = static_cast<int>(topology.size());
  if (topology.nodes() < 2) return {{devices, bandwidth(true)}};
  if (per_node < 2 || !equal) return {{devices, bandwidth(false)}};
  return {{per_node, bandwidth(true)}, {topology.nodes(), bandwidth(false)}};
}

std::vector<Stage> stages_of(const ChainInput& input, const ChainPlan& plan) {
  std::vector<Stage> stages;
  const int per_machine = input.problem.per_machine();
  Places at;
  std::vector<std::vector<int>> places;
  for (auto found = plan.stages.rbegin(); found != plan.stages.rend(); ++found) {
    if (found->segment_begins) at = {at.machine + at.repeats, 0, found->machines};
    Stage& stage = stages.emplace_back();
    stage.name = "s" + std::to_string(stages.size() - 1);
    for (const Digraph::Node block : found->blocks) {
      const auto& operators = input.search.blocks[static_cast<std::size_t>(block)];
      stage.operators.insert(stage.operators.end(), operators.begin(), operators.end());
    }
    std::ranges::sort(stage.operators);
    stage.micro_batch = input.problem.costs.micro_batch;
    std::vector<int>& own = places.emplace_back();
    for (int machine = 0; machine < found->machines; ++machine)
      for (int worker = 0; worker < found->replicas; ++worker)
        own.push_back((at.machine + machine) * per_machine + at.worker + worker);
    at.worker += found->replicas;
  }
  std::map<int, std::int32_t> rank;  // places without gaps
  for (const std::vector<int>& own : places)
    for (const int place : own) rank.emplace(place, 0);
  std::int32_t next = 0;
  for (auto& [place, device] : rank) device = next++;
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const int place : places[i]) stages[i].devices.push_back(DeviceId{rank.at(place)});
  return stages;
}

}  // namespace pipegraph
