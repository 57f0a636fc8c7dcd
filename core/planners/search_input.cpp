#include "core/planners/search_input.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/base/errors.h"
#include "core/model/cost_model.h"
#include "core/stage/parameter_copies.h"

namespace pipegraph {
namespace {

/// The slowest of every figure.
ComputeRate common_rate(const Topology& topology, Precision precision) {
  ComputeRate common = compute_rate(topology.devices().front(), precision);
  for (const Device& device : topology.devices()) {
    const ComputeRate rate = compute_rate(device, precision);
    if (rate.peak.value * rate.efficiency < common.peak.value * common.efficiency) {
      common.peak = rate.peak;
      common.efficiency = rate.efficiency;
      common.multiprocessors = rate.multiprocessors;
    }
    common.memory_bandwidth = std::min(common.memory_bandwidth, rate.memory_bandwidth);
    common.launch = std::max(common.launch, rate.launch);
    common.slowdown = std::max(common.slowdown, rate.slowdown);
  }
  return common;
}

double least_memory(const Topology& topology) {
  double least = std::numeric_limits<double>::infinity();
  for (const Device& device : topology.devices()) {
    if (device.unlimited_memory()) continue;
    least = std::min(least, device.memory.as_double() - device.reserved.as_double());
  }
  return least;
}

/// A route between nodes if there are several, else inside one; none on a single device.
Route typical_route(const Topology& topology) {
  if (topology.size() < 2) return {};
  std::size_t to = 1;
  if (topology.nodes() > 1)
    while (topology.devices()[to].node == topology.devices()[0].node) ++to;
  return topology.route(DeviceId{0}, make_id<DeviceId>(to));
}

/// Operators that cost the same whatever the share: equal work by the roofline, each for itself
/// where times are measured.
std::vector<std::uint32_t> cost_classes(const Workload& workload) {
  const std::vector<Operator>& operators = workload.graph->operators();
  const bool by_work = dynamic_cast<const RooflineCosts*>(workload.costs.get()) != nullptr;
  std::vector<std::uint32_t> result;
  std::vector<std::size_t> representative;
  std::map<std::pair<double, double>, std::vector<std::uint32_t>> seen;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    std::vector<std::uint32_t>& candidates =
        seen[{flops(op.forward).count, op.forward.bytes.as_double()}];
    const auto equal = std::ranges::find_if(candidates, [&](std::uint32_t c) {
      const Operator& other = operators[representative[c]];
      return by_work && other.forward == op.forward && other.backward == op.backward;
    });
    if (equal != candidates.end()) {
      result.push_back(*equal);
      continue;
    }
    result.push_back(static_cast<std::uint32_t>(representative.size()));
    candidates.push_back(result.back());
    representative.push_back(i);
  }
  return result;
}

bool saves_its_inputs(const Operator& op) { return !op.saved.has_value(); }

struct TensorUse {
  std::vector<Digraph::Node> consumers;  ///< other blocks
  bool saved = false;                    ///< some consumer keeps it
};

std::vector<TensorUse> tensor_uses(const ComputationGraph& graph,
                                   const std::vector<Digraph::Node>& block_of) {
  std::vector<TensorUse> uses(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& op = graph.operators()[i];
    for (const OperatorId input : op.inputs) {
      TensorUse& use = uses[input.index()];
      use.saved = use.saved || saves_its_inputs(op);
      if (block_of[i] != block_of[input.index()]) use.consumers.push_back(block_of[i]);
    }
  }
  for (TensorUse& use : uses) {
    std::ranges::sort(use.consumers);
    const auto rest = std::ranges::unique(use.consumers);
    use.consumers.erase(rest.begin(), rest.end());
  }
  return uses;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2))) *
         0xff51afd7ed558ccdULL;
}

std::uint64_t signature_of(const SearchInput& input, const ComputationGraph& graph,
                           const std::vector<OperatorId>& block) {
  std::uint64_t hash = 0;
  for (const OperatorId id : block) {
    const Operator& op = graph.at(id);
    hash = mix(hash, input.cost_class[id.index()]);
    hash = mix(hash, op.output.count);
    hash = mix(hash, op.parameters.count);
    hash = mix(hash, op.saved ? op.saved->count + 1 : 0);
    hash = mix(hash, op.internal.count);
    hash = mix(hash, op.inputs.size());
  }
  return hash;
}

/// Bytes per sample that the operator itself keeps, its inputs from other blocks aside.
double own_saved(const Operator& op, const TensorUse& use) {
  if (op.saved) return op.saved->as_double() + (use.saved ? op.output.as_double() : 0.0);
  return op.output.as_double() + op.internal.as_double();
}

}  // namespace

SearchInput search_input(const Workload& workload) {
  std::vector<std::vector<OperatorId>> blocks;
  for (std::size_t i = 0; i < workload.graph->size(); ++i)
    blocks.push_back({make_id<OperatorId>(i)});
  return search_input(workload, std::move(blocks));
}

SearchInput search_input(const Workload& workload, std::vector<std::vector<OperatorId>> blocks) {
  const ComputationGraph& graph = *workload.graph;
  const Topology& topology = *workload.topology;
  SearchInput input;
  input.blocks = std::move(blocks);
  input.rate = common_rate(topology, workload.training.precision);
  input.cost_class = cost_classes(workload);
  std::vector<Digraph::Node> block_of(graph.size(), -1);
  for (std::size_t b = 0; b < input.blocks.size(); ++b)
    for (const OperatorId id : input.blocks[b])
      block_of[id.index()] = static_cast<Digraph::Node>(b);
  const std::vector<TensorUse> uses = tensor_uses(graph, block_of);

  SearchProblem& problem = input.problem;
  std::vector<Digraph::Edge> edges;
  const auto copies = static_cast<double>(parameter_copies(workload.training).all());
  for (std::size_t b = 0; b < input.blocks.size(); ++b) {
    double fixed = 0.0;
    double saved = 0.0;
    for (const OperatorId id : input.blocks[b]) {
      const Operator& op = graph.at(id);
      const TensorUse& use = uses[id.index()];
      fixed += copies * op.parameters.as_double();
      saved += own_saved(op, use);
      if (use.consumers.empty()) continue;
      for (const Digraph::Node to : use.consumers)
        edges.push_back({static_cast<Digraph::Node>(b), to});
      problem.tensors.push_back({static_cast<Digraph::Node>(b), use.consumers,
                                 op.output.as_double(), op.output_needs_gradient ? 2.0 : 1.0,
                                 use.saved ? op.output.as_double() : 0.0});
    }
    problem.fixed.push_back(fixed);
    problem.saved.push_back(saved);
    input.signature.push_back(signature_of(input, graph, input.blocks[b]));
  }
  problem.graph = Digraph(input.blocks.size(), std::move(edges));
  problem.memory = least_memory(topology);
  problem.devices = static_cast<int>(topology.size());
  problem.mini_batch = workload.training.mini_batch;
  const Route route = typical_route(topology);
  problem.latency = route.latency.count();
  problem.bandwidth = topology.bandwidth(route).value;
  return input;
}

const std::vector<double>& ShareTimes::of(std::int32_t share) {
  std::vector<double>& row = times_[share];
  if (!row.empty()) return row;
  row.assign(input_.blocks.size(), 0.0);
  std::vector<double> by_class(workload_.graph->size(), -1.0);
  for (std::size_t b = 0; b < input_.blocks.size(); ++b)
    for (const OperatorId id : input_.blocks[b]) {
      double& seconds = by_class[input_.cost_class[id.index()]];
      if (seconds < 0.0)
        seconds = (workload_.costs->time(id, Pass::Forward, share, input_.rate) +
                   workload_.costs->time(id, Pass::Backward, share, input_.rate))
                      .count();
      row[b] += seconds;
    }
  return row;
}

BatchCosts batch_costs(const SearchProblem& problem, ShareTimes& times, std::int32_t micro_batch) {
  BatchCosts costs;
  costs.micro_batch = micro_batch;
  const int ragged = problem.mini_batch % micro_batch;
  costs.max_devices = std::min({problem.devices, static_cast<int>(micro_batch),
                                ragged == 0 ? static_cast<int>(micro_batch) : ragged});
  costs.row_of_devices.assign(static_cast<std::size_t>(problem.devices) + 1, 0);
  for (int d = 1; d <= costs.max_devices; ++d) {
    const std::int32_t share = (micro_batch + d - 1) / d;
    if (costs.share.empty() || costs.share.back() != share) {
      costs.share.push_back(share);
      costs.time.push_back(times.of(share));
    }
    costs.row_of_devices[static_cast<std::size_t>(d)] =
        static_cast<std::uint16_t>(costs.share.size() - 1);
  }
  return costs;
}

BatchCosts batch_costs(const Workload& workload, const SearchInput& input,
                       std::int32_t micro_batch) {
  ShareTimes times(workload, input);
  return batch_costs(input.problem, times, micro_batch);
}

std::vector<Stage> stages_of(const SearchInput& input, const SearchPlan& plan) {
  std::vector<Stage> stages;
  std::int32_t next_device = 0;
  for (auto found = plan.stages.rbegin(); found != plan.stages.rend(); ++found) {
    Stage stage;
    stage.name = "s" + std::to_string(stages.size());
    for (const Digraph::Node block : found->blocks) {
      const auto& operators = input.blocks[static_cast<std::size_t>(block)];
      stage.operators.insert(stage.operators.end(), operators.begin(), operators.end());
    }
    std::ranges::sort(stage.operators);
    for (int d = 0; d < found->devices; ++d) stage.devices.push_back(DeviceId{next_device++});
    stage.micro_batch = plan.micro_batch;
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<std::int32_t> candidate_micro_batches(std::int32_t mini_batch) {
  std::vector<std::int32_t> sizes;
  for (std::int64_t size = 1; size < mini_batch; size *= 2)
    sizes.push_back(static_cast<std::int32_t>(size));
  sizes.push_back(mini_batch);
  return sizes;
}

}  // namespace pipegraph
