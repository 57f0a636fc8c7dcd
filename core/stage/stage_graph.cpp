#include "core/stage/stage_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/stage/stage_checks.h"

namespace pipegraph {
namespace {

/// A tensor that has to get from one stage to another.
struct Hop {
  StageId from;
  StageId to;
  OperatorId tensor;  ///< -1: none, the edge only orders
  auto operator<=>(const Hop&) const = default;
};

std::vector<Hop> data_hops(const ComputationGraph& graph, const std::vector<StageId>& stage_of) {
  std::vector<Hop> hops;
  for (const Digraph::Edge& edge : graph.edges().edges()) {
    const OperatorId tensor{edge.from};
    const StageId from = stage_of[tensor.index()];
    const StageId to = stage_of[OperatorId{edge.to}.index()];
    if (from != to) hops.push_back({from, to, tensor});
  }
  return hops;
}

/// Hops through every stage between; those against the order stay as they are (they are cycles).
std::vector<Hop> relayed(const std::vector<Hop>& hops) {
  std::vector<Hop> result;
  for (const Hop& hop : hops) {
    if (hop.to < hop.from) result.push_back(hop);
    for (std::int32_t s = hop.from.value; s < hop.to.value; ++s)
      result.push_back({StageId{s}, StageId{s + 1}, hop.tensor});
  }
  return result;
}

Digraph to_digraph(std::size_t stages, const std::vector<Hop>& hops) {
  std::vector<Digraph::Edge> edges;
  edges.reserve(hops.size());
  for (const Hop& hop : hops) edges.push_back({hop.from.value, hop.to.value});
  return Digraph(stages, std::move(edges));
}

std::vector<StageEdge> to_transfers(const ComputationGraph& graph, std::vector<Hop> hops) {
  std::sort(hops.begin(), hops.end());
  hops.erase(std::unique(hops.begin(), hops.end()), hops.end());
  std::vector<StageEdge> transfers;
  for (const Hop& hop : hops) {
    if (transfers.empty() || transfers.back().from != hop.from || transfers.back().to != hop.to)
      transfers.push_back({hop.from, hop.to, {}, {}});
    if (!hop.tensor.valid()) continue;
    transfers.back().tensors.push_back(hop.tensor);
    transfers.back().bytes += graph.at(hop.tensor).output;
  }
  return transfers;
}

[[noreturn]] void fail_cyclic(const Digraph& edges, std::span<const Stage> stages) {
  const std::vector<Digraph::Node> cycle = find_cycle(edges);
  std::vector<std::string> labels;
  for (const Digraph::Node node : cycle) labels.push_back(stage_label(stages, StageId{node}));
  labels.push_back(labels.front());
  throw ConfigError(stages[StageId{cycle.front()}.index()].position,
                    fmt::format("stages need each other's tensors: {}", fmt::join(labels, " -> ")),
                    "stages that form an acyclic graph");
}

}  // namespace

std::string_view to_text(PlanKind kind) { return kind == PlanKind::Graph ? "graph" : "sequential"; }

std::string_view to_text(SkipTransfer skip) {
  return skip == SkipTransfer::Direct ? "direct" : "relay";
}

StageGraph::StageGraph(const ComputationGraph& graph, std::vector<Stage> stages, PlanKind kind,
                       SkipTransfer skip)
    : kind_(kind), stages_(std::move(stages)) {
  for (Stage& stage : stages_) {
    std::sort(stage.operators.begin(), stage.operators.end());
    std::sort(stage.recompute.begin(), stage.recompute.end());
  }
  check_each_stage(stages_);
  stage_of_ = assign_operators(graph, stages_);
  std::vector<Hop> hops = data_hops(graph, stage_of_);
  digraph_ = to_digraph(stages_.size(), hops);
  if (!topological_order(digraph_)) {  // a stage that is not convex makes a cycle
    check_convexity(graph, stages_);
    if (kind == PlanKind::Graph) fail_cyclic(digraph_, stages_);
  }
  if (kind == PlanKind::Sequential) {
    if (skip == SkipTransfer::Relay) hops = relayed(hops);
    for (std::size_t s = 1; s < stages_.size(); ++s)
      hops.push_back({make_id<StageId>(s - 1), make_id<StageId>(s), OperatorId{}});
    digraph_ = to_digraph(stages_.size(), hops);
  }
  acyclic_ = topological_order(digraph_).has_value();
  transfers_ = to_transfers(graph, std::move(hops));
}

int StageGraph::depth() const {
  if (!acyclic_ || stages_.empty()) return 0;
  const std::vector<int> paths = longest_paths_to_sinks(digraph_);
  return *std::max_element(paths.begin(), paths.end());
}

std::vector<DeviceId> StageGraph::devices() const {
  std::vector<DeviceId> devices;
  for (const Stage& stage : stages_)
    devices.insert(devices.end(), stage.devices.begin(), stage.devices.end());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

}  // namespace pipegraph
