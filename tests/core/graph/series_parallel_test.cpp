#include "core/graph/series_parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>

#include "core/base/errors.h"
#include "tests/core/graph/small_dags.h"

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;
using Nodes = std::vector<Digraph::Node>;

std::string text_of(const Digraph& graph) {
  const auto answer = decompose_series_parallel(graph);
  const auto* tree = std::get_if<SeriesParallelTree>(&answer);
  return tree ? to_text(*tree) : "not series-parallel";
}

TEST(SeriesParallel, DecomposesSmallShapes) {
  EXPECT_EQ(text_of(Digraph(1, {})), "0");
  EXPECT_EQ(text_of(Digraph(3, {{0, 1}, {1, 2}})), "(0 1 2)");
  EXPECT_EQ(text_of(Digraph(2, {})), "(0 | 1)");
  EXPECT_EQ(text_of(Digraph(5, {{0, 1}, {0, 2}, {2, 3}, {1, 4}, {3, 4}})), "(0 (1 | 2 3) 4)");
}

TEST(SeriesParallel, KeepsAnEdgeThatBypassesItsSiblings) {
  // The residual of a transformer block: 0 -> 1 -> 2 and 0 -> 2.
  EXPECT_EQ(text_of(Digraph(3, {{0, 1}, {1, 2}, {0, 2}})), "(0 (- | 1) 2)");
}

TEST(SeriesParallel, JoinsSeveralSourcesAndSinksVirtually) {
  // Two branches into one join, with a second source beside.
  EXPECT_EQ(text_of(Digraph(4, {{0, 2}, {1, 2}})), "((0 | 1) 2 | 3)");
}

TEST(SeriesParallel, OrdersParallelChildrenByTheirSmallestNode) {
  // Branches {3, 1} and {2}: the first holds 1, the smaller one.
  EXPECT_EQ(text_of(Digraph(5, {{0, 2}, {0, 3}, {3, 1}, {1, 4}, {2, 4}})), "(0 (3 1 | 2) 4)");
}

TEST(SeriesParallel, NamesTheEdgeThatCrosses) {
  // The bridge: 0 -> {1, 2} -> 3 and 1 -> 2 across.
  const Digraph bridge(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
  const auto answer = std::get<NotSeriesParallel>(decompose_series_parallel(bridge));
  EXPECT_EQ(answer.from, 1);
  EXPECT_EQ(answer.to, 2);
  EXPECT_EQ(answer.witness, (Nodes{0, 1, 2, 3}));
}

TEST(SeriesParallel, LeavesReduciblePartsOutOfTheWitness) {
  // A chain 0 -> 1 in front of the bridge 1 -> {2, 3} -> 4, 2 -> 3, and a chain 4 -> 5 -> 6 behind.
  const Digraph graph(7, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}});
  const auto answer = std::get<NotSeriesParallel>(decompose_series_parallel(graph));
  EXPECT_EQ(answer.from, 2);
  EXPECT_EQ(answer.to, 3);
  EXPECT_EQ(answer.witness, (Nodes{1, 2, 3, 4}));
}

TEST(SeriesParallel, RefusesCompleteBipartiteEdges) {
  // Every cut lies between nodes, and between {0, 1} and {2, 3} no single point separates them.
  EXPECT_EQ(text_of(Digraph(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}})), "not series-parallel");
}

TEST(SeriesParallel, RejectsCyclesAndEmptyGraphs) {
  EXPECT_THROW(decompose_series_parallel(Digraph(2, {{0, 1}, {1, 0}})), InternalError);
  EXPECT_THROW(decompose_series_parallel(Digraph()), InternalError);
}

// ---- the oracle: the recursive definition, on lists of edges of the split graph

struct Arc {
  int from, to;
  Digraph::Node node;  ///< -1: carries nothing
};
using Arcs = std::vector<Arc>;

std::optional<SeriesParallelTree> define(const Arcs& arcs, int source, int sink);

/// Groups the arcs between two terminals that share inner vertices.
std::vector<Arcs> components(const Arcs& arcs, int source, int sink) {
  std::map<int, int> parent;
  const auto root = [&](int v) {
    while (parent.count(v) != 0 && parent[v] != v) v = parent[v];
    return v;
  };
  const auto inner = [&](int v) { return v != source && v != sink; };
  for (const Arc& arc : arcs)
    if (inner(arc.from) && inner(arc.to)) parent[root(arc.from)] = root(arc.to);
  std::map<int, Arcs> by_root;
  std::vector<Arcs> found;
  for (const Arc& arc : arcs) {
    if (!inner(arc.from) && !inner(arc.to))
      found.push_back({arc});
    else
      by_root[root(inner(arc.from) ? arc.from : arc.to)].push_back(arc);
  }
  for (auto& [vertex, group] : by_root) found.push_back(group);
  return found;
}

/// Whether `sink` can be reached from `source` without `avoided`.
bool reaches(const Arcs& arcs, int source, int sink, int avoided) {
  std::vector<int> open{source};
  std::vector<int> seen{source};
  while (!open.empty()) {
    const int here = open.back();
    open.pop_back();
    if (here == sink) return true;
    for (const Arc& arc : arcs) {
      if (arc.from != here || arc.to == avoided) continue;
      if (std::find(seen.begin(), seen.end(), arc.to) != seen.end()) continue;
      seen.push_back(arc.to);
      open.push_back(arc.to);
    }
  }
  return false;
}

SeriesParallelTree join(Kind kind, const std::vector<SeriesParallelTree>& parts) {
  SeriesParallelTree tree{kind, -1, {}};
  for (const SeriesParallelTree& part : parts) {
    if (part.kind == kind)
      tree.children.insert(tree.children.end(), part.children.begin(), part.children.end());
    else if (part.kind != Kind::Empty || kind == Kind::Parallel)
      tree.children.push_back(part);
  }
  const auto smallest = [](const SeriesParallelTree& t) {
    Nodes all = t.nodes();
    return all.empty() ? -1 : *std::min_element(all.begin(), all.end());
  };
  if (kind == Kind::Parallel)
    std::sort(tree.children.begin(), tree.children.end(),
              [&](const auto& a, const auto& b) { return smallest(a) < smallest(b); });
  if (tree.children.empty()) return {Kind::Empty, -1, {}};
  if (tree.children.size() == 1) return SeriesParallelTree(tree.children.front());
  return tree;
}

std::optional<SeriesParallelTree> define_all(Kind kind, const std::vector<Arcs>& parts,
                                             const std::vector<std::pair<int, int>>& ends) {
  std::vector<SeriesParallelTree> trees;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto tree = define(parts[i], ends[i].first, ends[i].second);
    if (!tree) return std::nullopt;
    trees.push_back(*tree);
  }
  return join(kind, trees);
}

/// One arc; or a parallel union of graphs that share their terminals only; or a series at a vertex
/// that every path passes; nothing else.
std::optional<SeriesParallelTree> define(const Arcs& arcs, int source, int sink) {
  if (arcs.size() == 1)
    return arcs[0].node < 0 ? SeriesParallelTree{Kind::Empty, -1, {}}
                            : SeriesParallelTree{Kind::Leaf, arcs[0].node, {}};
  const std::vector<Arcs> groups = components(arcs, source, sink);
  if (groups.size() > 1)
    return define_all(Kind::Parallel, groups, {groups.size(), std::pair{source, sink}});

  for (const Arc& candidate : arcs) {
    const int cut = candidate.to;
    if (cut == sink || reaches(arcs, source, sink, cut)) continue;
    Arcs before, after;
    for (const Arc& arc : arcs) (reaches(arcs, arc.to, cut, -1) ? before : after).push_back(arc);
    return define_all(Kind::Series, {before, after}, {{source, cut}, {cut, sink}});
  }
  return std::nullopt;
}

std::optional<SeriesParallelTree> by_definition(const Digraph& graph) {
  const int source = static_cast<int>(2 * graph.size());
  const int sink = source + 1;
  Arcs arcs;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto node = static_cast<Digraph::Node>(i);
    arcs.push_back({2 * node, 2 * node + 1, node});
  }
  for (const auto& edge : graph.edges()) arcs.push_back({2 * edge.from + 1, 2 * edge.to, -1});
  for (Digraph::Node node : graph.sources()) arcs.push_back({source, 2 * node, -1});
  for (Digraph::Node node : graph.sinks()) arcs.push_back({2 * node + 1, sink, -1});
  return define(arcs, source, sink);
}

/// `from` must have a path elsewhere than to `to`, `to` must be reached from elsewhere.
void expect_a_crossing(const Digraph& graph, const NotSeriesParallel& answer) {
  EXPECT_GE(graph.successors(answer.from).size(), 2u);
  EXPECT_GE(graph.predecessors(answer.to).size(), 2u);
  EXPECT_TRUE(std::is_sorted(answer.witness.begin(), answer.witness.end()));
  for (Digraph::Node end : {answer.from, answer.to})
    EXPECT_TRUE(std::binary_search(answer.witness.begin(), answer.witness.end(), end));
}

/// Returns whether the graph is series-parallel.
bool compare_with_the_definition(const Digraph& graph) {
  const auto expected = by_definition(graph);
  const auto answer = decompose_series_parallel(graph);
  const auto* tree = std::get_if<SeriesParallelTree>(&answer);
  EXPECT_EQ(tree != nullptr, expected.has_value());
  if (tree != nullptr && expected) {
    EXPECT_EQ(to_text(*tree), to_text(*expected));
    EXPECT_TRUE(*tree == *expected);
  }
  if (tree == nullptr) expect_a_crossing(graph, std::get<NotSeriesParallel>(answer));
  return tree != nullptr;
}

TEST(SeriesParallel, AgreesWithTheDefinitionOnAllSmallDags) {
  for (int nodes = 1; nodes <= 5; ++nodes)
    for (const Digraph& graph : all_dags(nodes))
      ASSERT_NO_FATAL_FAILURE(compare_with_the_definition(graph));
}

TEST(SeriesParallel, AgreesWithTheDefinitionOnRandomDags) {
  std::mt19937 random(7);
  int yes = 0;
  constexpr int k_graphs = 2000;
  for (int i = 0; i < k_graphs; ++i) {
    const double density = 0.2 + 0.1 * (i % 4);
    yes += compare_with_the_definition(random_dag(6 + i % 3, density, random)) ? 1 : 0;
  }
  EXPECT_GT(yes, k_graphs / 20);  // both answers are exercised
  EXPECT_LT(yes, k_graphs * 19 / 20);
}

TEST(SeriesParallel, RecognisesGraphsBuiltFromSeriesAndParallel) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i)
    EXPECT_TRUE(compare_with_the_definition(random_series_parallel_dag(4 + i % 8, random)));
}

TEST(SeriesParallel, TakesLargeChainsAndFansInStride) {
  constexpr Digraph::Node k_nodes = 100'000;
  std::vector<Digraph::Edge> chain, fan;
  for (Digraph::Node i = 0; i + 1 < k_nodes; ++i) chain.push_back({i, i + 1});
  for (Digraph::Node i = 1; i + 1 < k_nodes; ++i) {
    fan.push_back({0, i});
    fan.push_back({i, k_nodes - 1});
  }
  Nodes all(k_nodes);
  std::iota(all.begin(), all.end(), 0);
  for (const auto& edges : {chain, fan}) {
    const auto answer = decompose_series_parallel(Digraph(k_nodes, edges));
    EXPECT_EQ(std::get<SeriesParallelTree>(answer).nodes(), all);
  }
}

/// Node i leads to i + 1, and to its mirror image: skip connections nested `depth` deep.
Digraph nested_skips(int depth) {
  const Digraph::Node last = 2 * depth;
  std::vector<Digraph::Edge> edges;
  for (Digraph::Node i = 0; i < last; ++i) edges.push_back({i, i + 1});
  for (Digraph::Node i = 0; i < depth; ++i) edges.push_back({i, last - i});
  return {static_cast<std::size_t>(last) + 1, edges};
}

TEST(SeriesParallel, RefusesTreesTooDeepToWalk) {
  EXPECT_EQ(text_of(nested_skips(2)), "(0 (- | 1 (- | 2) 3) 4)");
  EXPECT_TRUE(std::holds_alternative<SeriesParallelTree>(
      decompose_series_parallel(nested_skips(k_deepest_series_parallel / 2 - 1))));
  const auto answer = decompose_series_parallel(nested_skips(50'000));
  EXPECT_EQ(std::get<NotSeriesParallel>(answer).witness.size(), 100'001u);
}

}  // namespace
}  // namespace pipegraph
