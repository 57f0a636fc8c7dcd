#include "core/graph/digraph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

using Node = Digraph::Node;
using Nodes = std::vector<Node>;

Nodes copy(std::span<const Node> nodes) { return {nodes.begin(), nodes.end()}; }

Digraph long_chain(int nodes) {
  std::vector<Digraph::Edge> edges;
  for (Node i = 0; i + 1 < nodes; ++i) edges.push_back({i, i + 1});
  return {static_cast<std::size_t>(nodes), edges};
}

TEST(Digraph, SortsAndMergesNeighbours) {
  const Digraph graph(4, {{3, 1}, {0, 3}, {0, 1}, {3, 1}});

  EXPECT_EQ(copy(graph.successors(0)), (Nodes{1, 3}));
  EXPECT_EQ(copy(graph.predecessors(1)), (Nodes{0, 3}));
  EXPECT_EQ(graph.edges(), (std::vector<Digraph::Edge>{{0, 1}, {0, 3}, {3, 1}}));
  EXPECT_EQ(graph.sources(), (Nodes{0, 2}));
  EXPECT_EQ(graph.sinks(), (Nodes{1, 2}));
}

TEST(Digraph, RefusesAnEdgeThatEndsOutside) {
  EXPECT_THROW(Digraph(2, {{0, 2}}), InternalError);
  EXPECT_THROW(Digraph(2, {{-1, 0}}), InternalError);
}

TEST(Digraph, OfNothingHasNothing) {
  const Digraph graph;
  EXPECT_TRUE(graph.sources().empty());
  EXPECT_EQ(topological_order(graph), Nodes{});
  EXPECT_TRUE(find_cycle(graph).empty());
}

TEST(TopologicalOrder, TakesTheSmallestAvailableNode) {
  // 3 -> 0 -> 2, 1 alone: 1 is available first, then 3, then 0 before 2.
  EXPECT_EQ(topological_order(Digraph(4, {{3, 0}, {0, 2}})), (Nodes{1, 3, 0, 2}));
}

TEST(TopologicalOrder, KnowsCycles) {
  EXPECT_FALSE(topological_order(Digraph(3, {{0, 1}, {1, 2}, {2, 1}})).has_value());
  EXPECT_FALSE(topological_order(Digraph(1, {{0, 0}})).has_value());
}

TEST(FindCycle, ReturnsTheCycleWithoutTheWayToIt) {
  EXPECT_EQ(find_cycle(Digraph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {0, 4}})), (Nodes{1, 2, 3}));
  EXPECT_EQ(find_cycle(Digraph(2, {{0, 1}, {1, 1}})), Nodes{1});
  EXPECT_TRUE(find_cycle(Digraph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}})).empty());
}

TEST(Digraph, WalksDeepGraphsWithoutRecursion) {
  constexpr int k_nodes = 100'000;
  const Digraph chain = long_chain(k_nodes);
  EXPECT_TRUE(find_cycle(chain).empty());
  EXPECT_EQ(topological_order(chain)->back(), k_nodes - 1);
  EXPECT_EQ(longest_paths_to_sinks(chain).front(), k_nodes);

  std::vector<Digraph::Edge> edges = chain.edges();
  edges.push_back({k_nodes - 1, 0});
  EXPECT_EQ(find_cycle(Digraph(k_nodes, edges)).size(), static_cast<std::size_t>(k_nodes));
}

TEST(LongestPaths, CountNodesToASink) {
  // 0 -> 1 -> 2 -> 3 with a shortcut 0 -> 3; 4 stands alone.
  const Digraph graph(5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  EXPECT_EQ(longest_paths_to_sinks(graph), (std::vector<int>{4, 3, 2, 1, 1}));
  EXPECT_THROW(longest_paths_to_sinks(Digraph(1, {{0, 0}})), InternalError);
}

}  // namespace
}  // namespace pipegraph
