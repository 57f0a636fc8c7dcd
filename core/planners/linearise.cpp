#include "core/planners/linearise.h"

#include <ranges>

namespace pipegraph {

std::vector<Digraph::Node> branch_by_branch(const Digraph& graph) {
  std::vector<std::size_t> missing(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node)
    missing[node] = graph.predecessors(static_cast<Digraph::Node>(node)).size();

  const std::vector<Digraph::Node> sources = graph.sources();
  std::vector<Digraph::Node> open(sources.rbegin(), sources.rend());  // a stack
  std::vector<Digraph::Node> order;
  order.reserve(graph.size());
  while (!open.empty()) {
    const Digraph::Node node = open.back();
    open.pop_back();
    order.push_back(node);
    for (const Digraph::Node next : std::views::reverse(graph.successors(node)))
      if (--missing[static_cast<std::size_t>(next)] == 0) open.push_back(next);
  }
  return order;
}

std::vector<OperatorId> linearise(const ComputationGraph& graph) {
  std::vector<OperatorId> order;
  order.reserve(graph.size());
  for (const Digraph::Node node : branch_by_branch(graph.edges()))
    order.push_back(OperatorId{node});
  return order;
}

}  // namespace pipegraph
