#include "tests/core/graph/small_dags.h"

#include <algorithm>
#include <numeric>

namespace pipegraph {

namespace {

std::vector<Digraph::Edge> forward_edges(int nodes) {
  std::vector<Digraph::Edge> edges;
  for (Digraph::Node from = 0; from < nodes; ++from)
    for (Digraph::Node to = from + 1; to < nodes; ++to) edges.push_back({from, to});
  return edges;
}

Digraph relabel(std::size_t nodes, std::vector<Digraph::Edge> edges, std::mt19937& random) {
  std::vector<Digraph::Node> label(nodes);
  std::iota(label.begin(), label.end(), 0);
  std::shuffle(label.begin(), label.end(), random);
  for (Digraph::Edge& edge : edges)
    edge = {label[static_cast<std::size_t>(edge.from)], label[static_cast<std::size_t>(edge.to)]};
  return {nodes, std::move(edges)};
}

}  // namespace

std::vector<Digraph> all_dags(int nodes) {
  const std::vector<Digraph::Edge> possible = forward_edges(nodes);
  std::vector<Digraph> graphs;
  for (std::uint32_t bits = 0; bits < (std::uint32_t{1} << possible.size()); ++bits) {
    std::vector<Digraph::Edge> edges;
    for (std::size_t i = 0; i < possible.size(); ++i)
      if (((bits >> i) & 1) != 0) edges.push_back(possible[i]);
    graphs.emplace_back(static_cast<std::size_t>(nodes), edges);
  }
  return graphs;
}

Digraph random_dag(int nodes, double density, std::mt19937& random) {
  std::bernoulli_distribution keep(density);
  std::vector<Digraph::Edge> edges;
  for (const Digraph::Edge& edge : forward_edges(nodes))
    if (keep(random)) edges.push_back(edge);
  return relabel(static_cast<std::size_t>(nodes), std::move(edges), random);
}

Digraph random_series_parallel_dag(int nodes, std::mt19937& random) {
  // Arcs of a two-terminal graph grow by doubling (series or parallel); each arc then becomes a
  // node and each pair of arcs that meet an edge. Vertices where several arcs end and several start
  // get an arc of their own, or the edges there would be complete bipartite.
  struct Arc {
    int from, to;
  };
  std::vector<Arc> arcs{{0, 1}};
  int vertices = 2;
  while (arcs.size() < static_cast<std::size_t>(nodes)) {
    std::uniform_int_distribution<std::size_t> pick(0, arcs.size() - 1);
    Arc& arc = arcs[pick(random)];
    if (std::bernoulli_distribution(0.5)(random)) {
      const Arc tail{vertices, arc.to};
      arc.to = vertices++;
      arcs.push_back(tail);
    } else {
      arcs.push_back(Arc(arc));
    }
  }
  const auto first_of_vertex = static_cast<Digraph::Node>(arcs.size());
  std::vector<Digraph::Edge> edges;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const auto node = static_cast<Digraph::Node>(i);
    edges.push_back({first_of_vertex + arcs[i].from, node});
    edges.push_back({node, first_of_vertex + arcs[i].to});
  }
  return relabel(arcs.size() + static_cast<std::size_t>(vertices), std::move(edges), random);
}

}  // namespace pipegraph
