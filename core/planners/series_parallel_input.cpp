#include "core/planners/series_parallel_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/errors.h"
#include "core/graph/node_set.h"

namespace pipegraph {
namespace {

/// By node, whether one of `seeds` leads to it, itself included; `order` is topological.
NodeSet reached(const Digraph& graph, const std::vector<Digraph::Node>& seeds,
                const std::vector<Digraph::Node>& order) {
  NodeSet set(graph.size());
  for (const Digraph::Node seed : seeds) set.insert(seed);
  for (const Digraph::Node node : order)
    if (set.contains(node))
      for (const Digraph::Node next : graph.successors(node)) set.insert(next);
  return set;
}

/// The witness and all that lies between its nodes.
NodeSet hull(const Digraph& graph, const std::vector<Digraph::Node>& witness) {
  const auto order = topological_order(graph);
  check(order.has_value(), "blocks are acyclic");
  NodeSet result = reached(graph, witness, *order);
  NodeSet before(graph.size());
  for (const Digraph::Node node : witness) before.insert(node);
  for (auto node = order->rbegin(); node != order->rend(); ++node)
    if (std::ranges::any_of(graph.successors(*node), [&](auto s) { return before.contains(s); }))
      before.insert(*node);
  result &= before;
  return result;
}

std::vector<std::vector<OperatorId>> merge(const SearchInput& input, const NodeSet& part) {
  std::vector<std::vector<OperatorId>> blocks;
  std::vector<OperatorId> merged;
  for (std::size_t b = 0; b < input.blocks.size(); ++b)
    if (part.contains(static_cast<Digraph::Node>(b)))
      std::ranges::copy(input.blocks[b], std::back_inserter(merged));
    else
      blocks.push_back(input.blocks[b]);
  std::ranges::sort(merged);
  blocks.push_back(std::move(merged));
  std::ranges::sort(blocks, {}, [](const std::vector<OperatorId>& block) { return block.front(); });
  return blocks;
}

}  // namespace

SeriesParallelInput series_parallel_input(const Workload& workload, SearchInput input) {
  SeriesParallelInput result{std::move(input), {}, {}};
  for (;;) {
    const Digraph& graph = result.input.problem.graph;
    auto decomposed = decompose_series_parallel(graph);
    if (auto* tree = std::get_if<SeriesParallelTree>(&decomposed)) {
      result.tree = std::move(*tree);
      return result;
    }
    const auto& problem = std::get<NotSeriesParallel>(decomposed);
    const NodeSet part = hull(graph, problem.witness);
    std::size_t operators = 0;
    for (const Digraph::Node block : part.nodes())
      operators += result.input.blocks[static_cast<std::size_t>(block)].size();
    const auto name = [&](Digraph::Node block) {
      const auto& members = result.input.blocks[static_cast<std::size_t>(block)];
      return workload.graph->at(members.front()).name;
    };
    result.notes.push_back(
        fmt::format("not series-parallel: {} operators from '{}' to '{}' are one block", operators,
                    name(part.nodes().front()), name(part.nodes().back())));
    result.input = search_input(workload, merge(result.input, part));
  }
}

}  // namespace pipegraph
