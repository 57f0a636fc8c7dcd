// Works on the split graph: node v becomes the edge 2v -> 2v + 1, an edge u -> v becomes the edge
// 2u + 1 -> 2v that carries nothing, and a virtual source and sink close the ends. Every edge
// remembers how it was made as a binary tree in one array; the tree of the last edge is flattened.
#include "core/graph/series_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <unordered_map>

#include "core/base/errors.h"
#include "core/graph/node_set.h"

namespace pipegraph {

namespace {

using Kind = SeriesParallelTree::Kind;
using Index = std::uint32_t;

/// How an edge of the reduced graph was made: from two others, or it stands for one node or none.
struct Origin {
  Kind kind = Kind::Empty;
  Digraph::Node node = -1;
  Index first = 0;  ///< origins of the parts, for Series and Parallel
  Index second = 0;
  int depth = 1;                ///< levels after flattening
  Digraph::Node smallest = -1;  ///< of its nodes; -1 sorts Empty first
};

class Origins {
 public:
  Index leaf(Digraph::Node node) {
    return add({.kind = Kind::Leaf, .node = node, .smallest = node});
  }
  Index empty() { return add({}); }
  /// Empty parts vanish in series; two of them in parallel are one.
  Index combine(Kind kind, Index first, Index second) {
    const bool no_first = at(first).kind == Kind::Empty;
    const bool no_second = at(second).kind == Kind::Empty;
    if (no_first && (kind == Kind::Series || no_second)) return second;
    if (no_second && kind == Kind::Series) return first;
    const auto depth_within = [&](Index part) {
      return at(part).kind == kind ? at(part).depth : at(part).depth + 1;
    };
    const int depth = std::max(depth_within(first), depth_within(second));
    Digraph::Node smallest = std::min(at(first).smallest, at(second).smallest);
    if (smallest < 0) smallest = std::max(at(first).smallest, at(second).smallest);
    return add({kind, -1, first, second, depth, smallest});
  }
  const Origin& at(Index i) const { return origins_[i]; }

  /// The parts of `root` with all nested parts of the same kind opened, in order.
  std::vector<Index> parts(Index root) const {
    std::vector<Index> found;
    std::vector<Index> open{root};
    while (!open.empty()) {
      const Index here = open.back();
      open.pop_back();
      if (at(here).kind != at(root).kind) {
        found.push_back(here);
        continue;
      }
      open.push_back(at(here).second);
      open.push_back(at(here).first);
    }
    return found;
  }

 private:
  Index add(const Origin& origin) {
    origins_.push_back(origin);
    return static_cast<Index>(origins_.size() - 1);
  }
  std::vector<Origin> origins_;
};

/// A multigraph under series and parallel reduction. Per vertex only the number of edges and the
/// exclusive or of their indices are kept: with one edge left, that is its index.
class Reducer {
 public:
  Reducer(std::size_t vertices, Index source, Index sink)
      : in_(vertices), out_(vertices), source_(source), sink_(sink) {}

  /// Adds an edge, merging it with one between the same vertices.
  void connect(Index from, Index to, Index origin) {
    const auto [place, is_new] =
        by_ends_.try_emplace(key(from, to), static_cast<Index>(edges_.size()));
    if (!is_new) {
      Edge& twin = edges_[place->second];
      twin.origin = origins.combine(Kind::Parallel, twin.origin, origin);
      return;
    }
    toggle(out_[from], place->second, 1);
    toggle(in_[to], place->second, 1);
    edges_.push_back({from, to, origin, true});
  }

  void reduce() {
    std::vector<Index> candidates;
    for (Index v = 0; v < in_.size(); ++v) candidates.push_back(v);
    while (!candidates.empty()) {
      const Index middle = candidates.back();
      candidates.pop_back();
      if (middle == source_ || middle == sink_) continue;
      if (in_[middle].count != 1 || out_[middle].count != 1) continue;
      const Edge first = remove(in_[middle].edges);
      const Edge second = remove(out_[middle].edges);
      connect(first.from, second.to, origins.combine(Kind::Series, first.origin, second.origin));
      candidates.push_back(first.from);
      candidates.push_back(second.to);
    }
  }

  /// The origin of the only edge left, if there is only one.
  std::optional<Index> last_edge() const {
    if (by_ends_.size() != 1) return std::nullopt;
    return edges_[by_ends_.begin()->second].origin;
  }

  /// Edges left, in the order they were made, without those at the virtual ends.
  std::vector<Digraph::Edge> inner_edges() const {
    std::vector<Digraph::Edge> left;
    for (const Edge& edge : edges_)
      if (edge.alive && edge.from != source_ && edge.to != sink_)
        left.push_back(
            {static_cast<Digraph::Node>(edge.from), static_cast<Digraph::Node>(edge.to)});
    return left;
  }
  std::size_t in_degree(Digraph::Node vertex) const {
    return in_[static_cast<std::size_t>(vertex)].count;
  }

  Origins origins;

 private:
  struct Edge {
    Index from, to, origin;
    bool alive;
  };
  struct Ends {
    std::size_t count = 0;
    Index edges = 0;  ///< exclusive or of the edges' indices
  };

  static std::uint64_t key(Index from, Index to) { return (std::uint64_t{from} << 32) | to; }
  static void toggle(Ends& ends, Index edge, int change) {
    ends.count = change > 0 ? ends.count + 1 : ends.count - 1;
    ends.edges ^= edge;
  }
  Edge remove(Index index) {
    Edge& edge = edges_[index];
    edge.alive = false;
    by_ends_.erase(key(edge.from, edge.to));
    toggle(out_[edge.from], index, -1);
    toggle(in_[edge.to], index, -1);
    return edge;
  }

  std::vector<Edge> edges_;
  std::vector<Ends> in_, out_;
  std::unordered_map<std::uint64_t, Index> by_ends_;  // looked up only, never walked
  Index source_, sink_;
};

Reducer split_nodes(const Digraph& graph) {
  const auto source = static_cast<Index>(2 * graph.size());
  const Index sink = source + 1;
  const auto entry = [](Digraph::Node node) { return static_cast<Index>(2 * node); };
  const auto exit = [](Digraph::Node node) { return static_cast<Index>(2 * node + 1); };

  Reducer reducer(2 * graph.size() + 2, source, sink);
  Origins& origins = reducer.origins;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto node = static_cast<Digraph::Node>(i);
    reducer.connect(entry(node), exit(node), origins.leaf(node));
  }
  for (const Digraph::Edge& edge : graph.edges())
    reducer.connect(exit(edge.from), entry(edge.to), origins.empty());
  for (Digraph::Node node : graph.sources()) reducer.connect(source, entry(node), origins.empty());
  for (Digraph::Node node : graph.sinks()) reducer.connect(exit(node), sink, origins.empty());
  return reducer;
}

/// Recursion is bounded by k_deepest_series_parallel.
SeriesParallelTree flatten(const Origins& origins, Index root) {
  SeriesParallelTree tree{origins.at(root).kind, origins.at(root).node, {}};
  if (tree.kind == Kind::Leaf || tree.kind == Kind::Empty) return tree;
  std::vector<Index> parts = origins.parts(root);
  if (tree.kind == Kind::Parallel)
    std::stable_sort(parts.begin(), parts.end(), [&](Index a, Index b) {
      return origins.at(a).smallest < origins.at(b).smallest;
    });
  for (Index part : parts) {
    const bool second_bypass = origins.at(part).kind == Kind::Empty && !tree.children.empty();
    if (!second_bypass) tree.children.push_back(flatten(origins, part));
  }
  return tree;
}

/// In the irreducible rest every inner vertex has one edge on one side and several on the other.
/// From the first fork, follow successors that are no joins: each is a fork again, so the walk ends
/// at a fork with a join behind it.
NotSeriesParallel explain(const Reducer& reducer, std::size_t nodes) {
  const Digraph rest(2 * nodes, reducer.inner_edges());
  NotSeriesParallel answer;
  NodeSet witness(nodes);
  Digraph::Node fork = -1;
  const std::vector<Digraph::Node> order = topological_order(rest).value();
  for (Digraph::Node vertex : order) {
    if (rest.successors(vertex).empty() && rest.predecessors(vertex).empty()) continue;
    witness.insert(vertex / 2);
    if (fork < 0) fork = vertex;
  }
  check(fork >= 0, "an irreducible graph has a fork");
  Digraph::Node next = rest.successors(fork).front();
  while (reducer.in_degree(next) == 1) {
    fork = next;
    next = rest.successors(fork).front();
  }
  answer.from = fork / 2;
  answer.to = next / 2;
  answer.witness = witness.nodes();
  return answer;
}

void append_text(const SeriesParallelTree& tree, std::string& text) {
  switch (tree.kind) {
    case Kind::Leaf:
      text += fmt::format("{}", tree.node);
      return;
    case Kind::Empty:
      text += "-";
      return;
    case Kind::Series:
    case Kind::Parallel:
      break;
  }
  const bool parallel = tree.kind == Kind::Parallel;
  if (parallel) text += "(";
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    if (i > 0) text += parallel ? " | " : " ";
    append_text(tree.children[i], text);
  }
  if (parallel) text += ")";
}

}  // namespace

std::vector<Digraph::Node> SeriesParallelTree::nodes() const {
  std::vector<Digraph::Node> found;
  std::vector<const SeriesParallelTree*> open{this};
  while (!open.empty()) {
    const SeriesParallelTree* here = open.back();
    open.pop_back();
    if (here->kind == Kind::Leaf) found.push_back(here->node);
    for (const SeriesParallelTree& child : here->children | std::views::reverse)
      open.push_back(&child);
  }
  return found;
}

std::variant<SeriesParallelTree, NotSeriesParallel> decompose_series_parallel(
    const Digraph& graph) {
  check(graph.size() > 0, "an empty graph has no decomposition");
  check(topological_order(graph).has_value(), "series-parallel decomposition needs a DAG");
  Reducer reducer = split_nodes(graph);
  reducer.reduce();
  const std::optional<Index> root = reducer.last_edge();
  if (!root) return explain(reducer, graph.size());
  if (reducer.origins.at(*root).depth > k_deepest_series_parallel) {
    NotSeriesParallel answer{graph.sources().front(), graph.sinks().front(), {}};
    for (std::size_t i = 0; i < graph.size(); ++i)
      answer.witness.push_back(static_cast<Digraph::Node>(i));
    return answer;
  }
  return flatten(reducer.origins, *root);
}

std::string to_text(const SeriesParallelTree& tree) {
  std::string text;
  append_text(tree, text);
  return tree.kind == Kind::Series ? "(" + text + ")" : text;
}

}  // namespace pipegraph
