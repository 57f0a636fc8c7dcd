// A set of nodes as a bit vector, and the order relations of a DAG on such sets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/digraph.h"

namespace pipegraph {

class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::size_t universe) : bits_((universe + 63) / 64), universe_(universe) {}

  void insert(Digraph::Node node) { bits_[word(node)] |= mask(node); }
  void erase(Digraph::Node node) { bits_[word(node)] &= ~mask(node); }
  bool contains(Digraph::Node node) const { return (bits_[word(node)] & mask(node)) != 0; }
  std::size_t universe() const { return universe_; }
  std::size_t count() const;
  bool empty() const { return count() == 0; }
  bool is_subset_of(const NodeSet& other) const;
  bool intersects(const NodeSet& other) const;
  std::vector<Digraph::Node> nodes() const;  ///< ascending

  NodeSet& operator|=(const NodeSet& other);
  NodeSet& operator&=(const NodeSet& other);
  NodeSet& operator-=(const NodeSet& other);
  bool operator==(const NodeSet&) const = default;
  std::size_t hash() const;

 private:
  static std::size_t word(Digraph::Node node) { return static_cast<std::size_t>(node) / 64; }
  static std::uint64_t mask(Digraph::Node node) {
    return std::uint64_t{1} << (static_cast<std::size_t>(node) % 64);
  }
  std::vector<std::uint64_t> bits_;
  std::size_t universe_ = 0;
};

/// Whether no path leaves `nodes` and comes back.
bool is_convex(const Digraph& graph, const NodeSet& nodes);

/// A path that leaves `nodes` and comes back, as nodes in order, ends inside; empty if convex.
std::vector<Digraph::Node> find_convexity_violation(const Digraph& graph, const NodeSet& nodes);

}  // namespace pipegraph
