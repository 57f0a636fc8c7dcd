#include "core/planners/linearise.h"

#include <ranges>

namespace pipegraph {

std::vector<OperatorId> linearise(const ComputationGraph& graph) {
  const Digraph& edges = graph.edges();
  std::vector<std::size_t> missing(graph.size());
  for (std::size_t node = 0; node < graph.size(); ++node)
    missing[node] = edges.predecessors(static_cast<Digraph::Node>(node)).size();

  const std::vector<Digraph::Node> sources = edges.sources();
  std::vector<Digraph::Node> open(sources.rbegin(), sources.rend());  // a stack
  std::vector<OperatorId> order;
  order.reserve(graph.size());
  while (!open.empty()) {
    const Digraph::Node node = open.back();
    open.pop_back();
    order.push_back(OperatorId{node});
    for (const Digraph::Node next : std::views::reverse(edges.successors(node)))
      if (--missing[static_cast<std::size_t>(next)] == 0) open.push_back(next);
  }
  return order;
}

}  // namespace pipegraph
