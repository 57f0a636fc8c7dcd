// A directed graph on nodes 0..n-1 with sorted, duplicate-free adjacency: the base of computation
// graphs, stage graphs and cycle checks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pipegraph {

class Digraph {
 public:
  using Node = std::int32_t;
  struct Edge {
    Node from = 0;
    Node to = 0;
    auto operator<=>(const Edge&) const = default;
  };

  Digraph() = default;
  /// Duplicate edges are merged; self loops are kept (they are cycles). Errors: InternalError if an
  /// end is out of range.
  Digraph(std::size_t nodes, std::vector<Edge> edges);

  std::size_t size() const { return nodes_; }
  /// Sorted ascending.
  std::span<const Node> successors(Node node) const;
  std::span<const Node> predecessors(Node node) const;
  /// Sorted by (from, to).
  const std::vector<Edge>& edges() const { return edges_; }

  std::vector<Node> sources() const;  ///< no predecessors, ascending
  std::vector<Node> sinks() const;    ///< no successors, ascending

 private:
  std::size_t nodes_ = 0;
  std::vector<Edge> edges_;
  std::vector<Node> successors_, predecessors_;
  std::vector<std::uint32_t> successor_begin_{0}, predecessor_begin_{0};
};

/// The topological order that always takes the smallest available node; nothing if there is a
/// cycle.
std::optional<std::vector<Digraph::Node>> topological_order(const Digraph& graph);

/// Some cycle, as nodes in order (the last has an edge to the first); empty if there is none.
std::vector<Digraph::Node> find_cycle(const Digraph& graph);

/// Longest path in nodes from each node to a sink, a sink counting 1. The graph must be acyclic.
std::vector<int> longest_paths_to_sinks(const Digraph& graph);

}  // namespace pipegraph
