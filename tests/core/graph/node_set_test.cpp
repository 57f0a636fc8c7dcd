#include "core/graph/node_set.h"

#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "tests/core/graph/small_dags.h"

namespace pipegraph {
namespace {

using Nodes = std::vector<Digraph::Node>;

NodeSet set_of(std::size_t universe, const Nodes& nodes) {
  NodeSet set(universe);
  for (Digraph::Node node : nodes) set.insert(node);
  return set;
}

TEST(NodeSet, HoldsNodesOfSeveralWords) {
  NodeSet set = set_of(130, {129, 0, 64});
  set.erase(64);

  EXPECT_EQ(set.nodes(), (Nodes{0, 129}));
  EXPECT_EQ(set.count(), 2u);
  EXPECT_TRUE(set.contains(129));
  EXPECT_FALSE(set.contains(64));
  EXPECT_TRUE(NodeSet(130).empty());
}

TEST(NodeSet, KnowsUnionIntersectionAndDifference) {
  const NodeSet a = set_of(70, {1, 2, 69});
  const NodeSet b = set_of(70, {2, 3});
  NodeSet both = a, common = a, rest = a;
  both |= b;
  common &= b;
  rest -= b;

  EXPECT_EQ(both.nodes(), (Nodes{1, 2, 3, 69}));
  EXPECT_EQ(common.nodes(), (Nodes{2}));
  EXPECT_EQ(rest.nodes(), (Nodes{1, 69}));
  EXPECT_TRUE(common.is_subset_of(b));
  EXPECT_FALSE(a.is_subset_of(b));
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(rest.intersects(b));
}

TEST(NodeSet, HashesEqualSetsEqually) {
  EXPECT_EQ(set_of(70, {1, 69}).hash(), set_of(70, {69, 1}).hash());
  EXPECT_NE(set_of(70, {1, 69}).hash(), set_of(70, {1, 68}).hash());
}

TEST(NodeSet, RefusesSetsOfDifferentGraphs) {
  NodeSet set(3);
  EXPECT_THROW(set |= NodeSet(4), InternalError);
  EXPECT_THROW(is_convex(Digraph(4, {}), set), InternalError);
}

TEST(Convexity, ShowsAShortestPathOutAndBack) {
  // 0 -> 1 -> 2 -> 4, 0 -> 3 -> 4
  const Digraph graph(5, {{0, 1}, {1, 2}, {2, 4}, {0, 3}, {3, 4}});
  EXPECT_EQ(find_convexity_violation(graph, set_of(5, {0, 1, 2, 4})), (Nodes{0, 3, 4}));
  EXPECT_EQ(find_convexity_violation(graph, set_of(5, {0, 3, 4})), (Nodes{0, 1, 2, 4}));
  EXPECT_TRUE(is_convex(graph, set_of(5, {1, 2, 3})));
  EXPECT_TRUE(is_convex(graph, NodeSet(5)));
}

/// Convex by definition: no node outside lies on a path between two nodes inside.
bool is_convex_by_reachability(const Digraph& graph, const NodeSet& nodes) {
  const std::size_t n = graph.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  for (const Digraph::Edge& edge : graph.edges())
    reaches[static_cast<std::size_t>(edge.from)][static_cast<std::size_t>(edge.to)] = true;
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        if (reaches[a][via] && reaches[via][b]) reaches[a][b] = true;
  for (Digraph::Node a : nodes.nodes())
    for (Digraph::Node b : nodes.nodes())
      for (std::size_t via = 0; via < n; ++via)
        if (!nodes.contains(static_cast<Digraph::Node>(via)) &&
            reaches[static_cast<std::size_t>(a)][via] && reaches[via][static_cast<std::size_t>(b)])
          return false;
  return true;
}

void expect_a_way_out_and_back(const Digraph& graph, const NodeSet& nodes, const Nodes& path) {
  ASSERT_GE(path.size(), 3u);
  EXPECT_TRUE(nodes.contains(path.front()));
  EXPECT_TRUE(nodes.contains(path.back()));
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto next = graph.successors(path[i]);
    EXPECT_NE(std::find(next.begin(), next.end(), path[i + 1]), next.end());
    if (i > 0) {
      EXPECT_FALSE(nodes.contains(path[i]));
    }
  }
}

TEST(Convexity, AgreesWithReachabilityOnAllSetsOfAllSmallDags) {
  for (const Digraph& graph : all_dags(5)) {
    for (std::uint32_t bits = 0; bits < 32; ++bits) {
      NodeSet nodes(5);
      for (Digraph::Node node = 0; node < 5; ++node)
        if (((bits >> node) & 1) != 0) nodes.insert(node);
      const Nodes path = find_convexity_violation(graph, nodes);
      ASSERT_EQ(path.empty(), is_convex_by_reachability(graph, nodes));
      if (!path.empty()) expect_a_way_out_and_back(graph, nodes, path);
    }
  }
}

}  // namespace
}  // namespace pipegraph
