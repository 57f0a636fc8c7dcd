#include "core/planners/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/errors.h"
#include "core/stage/parameter_copies.h"
#include "core/stage/parameters.h"

namespace pipegraph {
namespace {

std::vector<Digraph::Node> stage_of_operators(const ComputationGraph& graph, const Layout& layout) {
  std::vector<Digraph::Node> stage_of(graph.size(), -1);
  for (std::size_t s = 0; s < layout.stages.size(); ++s)
    for (const OperatorId op : layout.stages[s].operators)
      stage_of[op.index()] = static_cast<Digraph::Node>(s);
  return stage_of;
}

Digraph data_edges(const ComputationGraph& graph, const Layout& layout) {
  const std::vector<Digraph::Node> stage_of = stage_of_operators(graph, layout);
  std::vector<Digraph::Edge> edges;
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (const OperatorId input : graph.operators()[i].inputs)
      if (stage_of[input.index()] != stage_of[i])
        edges.push_back({stage_of[input.index()], stage_of[i]});
  return Digraph(layout.stages.size(), std::move(edges));
}

double link_seconds(const SearchProblem& problem, double bytes) {
  return problem.latency + (bytes > 0.0 ? bytes / problem.bandwidth : 0.0);
}

}  // namespace

void number_places(Layout& layout) {
  std::int32_t next = 0;
  for (Stage& stage : layout.stages)
    for (DeviceId& device : stage.devices) device = DeviceId{next++};
}

std::size_t places(const Layout& layout) {
  std::size_t total = 0;
  for (const Stage& stage : layout.stages) total += stage.devices.size();
  return total;
}

bool is_acyclic(const ComputationGraph& graph, const Layout& layout) {
  const Digraph edges = data_edges(graph, layout);
  if (layout.kind == PlanKind::Graph) return topological_order(edges).has_value();
  return std::ranges::all_of(edges.edges(), [](const auto& edge) { return edge.from < edge.to; });
}

void sort_stages(const ComputationGraph& graph, Layout& layout) {
  const auto order = topological_order(data_edges(graph, layout));
  check(order.has_value(), "acyclic stages");
  std::vector<Stage> sorted;
  for (const Digraph::Node node : *order)
    sorted.push_back(std::move(layout.stages[static_cast<std::size_t>(node)]));
  layout.stages = std::move(sorted);
}

std::string key_of(const Layout& layout) {
  std::vector<std::string> parts;
  for (const Stage& stage : layout.stages) {
    std::string part = fmt::format("{}x{}k{}w{}:", stage.devices.size(), stage.micro_batch, stage.k,
                                   stage.in_flight.value_or(-1));
    for (const OperatorId op : stage.operators) part += fmt::format("{},", op.value);
    parts.push_back(std::move(part));
  }
  if (layout.kind == PlanKind::Graph) std::ranges::sort(parts);
  std::string key = fmt::format("{}+{}", to_text(layout.kind), layout.extra_in_flight);
  for (const std::string& part : parts) key += "|" + part;
  return key;
}

const std::vector<double>& LayoutEstimate::times(std::int32_t share) {
  std::vector<double>& result = times_[share];
  if (!result.empty()) return result;
  std::vector<double> by_class(workload_.graph->size(), -1.0);
  for (std::size_t i = 0; i < workload_.graph->size(); ++i) {
    double& seconds = by_class[input_.cost_class[i]];
    const auto id = make_id<OperatorId>(i);
    if (seconds < 0.0)
      seconds = (workload_.costs->time(id, Pass::Forward, share, input_.rate) +
                 workload_.costs->time(id, Pass::Backward, share, input_.rate))
                    .count();
    result.push_back(seconds);
  }
  return result;
}

double LayoutEstimate::stage_seconds(const Stage& stage) {
  const auto replicas = static_cast<std::int32_t>(stage.devices.size());
  const std::vector<double>& by_operator = times((stage.micro_batch + replicas - 1) / replicas);
  double seconds = 0.0;
  for (const OperatorId op : stage.operators) seconds += by_operator[op.index()];
  return seconds;
}

double LayoutEstimate::seconds(const Layout& layout) {
  const StageGraph graph(*workload_.graph, layout.stages, layout.kind);
  const SearchProblem& problem = input_.problem;
  const std::int32_t mini_batch = workload_.training.mini_batch;
  double slowest = 0.0;
  double reduction = 0.0;
  std::vector<double> own;
  for (const Stage& stage : graph.stages()) {
    own.push_back(stage_seconds(stage));
    const int batches = (mini_batch - 1) / stage.micro_batch;
    slowest = std::max(slowest, batches * own.back());
    const auto replicas = static_cast<double>(stage.devices.size());
    const double bytes =
        reduced_bytes(workload_.training, parameters_of(*workload_.graph, stage)).as_double();
    if (replicas > 1 && bytes > 0.0)
      reduction = std::max(reduction, 2 * (replicas - 1) * link_seconds(problem, bytes / replicas));
  }
  std::vector<double> until(graph.size(), 0.0);
  double path = 0.0;
  const auto order = topological_order(graph.edges());
  for (const Digraph::Node node : *order) {
    const auto stage = static_cast<std::size_t>(node);
    until[stage] += own[stage];
    path = std::max(path, until[stage]);
    for (const StageEdge& edge : graph.transfers()) {
      if (edge.from.value != node) continue;
      const Stage& from = graph.at(edge.from);
      const double bytes =
          edge.bytes.as_double() * from.micro_batch / static_cast<double>(from.devices.size());
      double& next = until[edge.to.index()];
      next = std::max(next, until[stage] + 2 * link_seconds(problem, bytes));
    }
  }
  return path + slowest + reduction;
}

}  // namespace pipegraph
