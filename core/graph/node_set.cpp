#include "core/graph/node_set.h"

#include <algorithm>
#include <bit>

#include "core/base/errors.h"

namespace pipegraph {

std::size_t NodeSet::count() const {
  std::size_t total = 0;
  for (std::uint64_t bits : bits_) total += static_cast<std::size_t>(std::popcount(bits));
  return total;
}

bool NodeSet::is_subset_of(const NodeSet& other) const {
  check(universe_ == other.universe_, "sets of different graphs");
  for (std::size_t i = 0; i < bits_.size(); ++i)
    if ((bits_[i] & ~other.bits_[i]) != 0) return false;
  return true;
}

bool NodeSet::intersects(const NodeSet& other) const {
  check(universe_ == other.universe_, "sets of different graphs");
  for (std::size_t i = 0; i < bits_.size(); ++i)
    if ((bits_[i] & other.bits_[i]) != 0) return true;
  return false;
}

std::vector<Digraph::Node> NodeSet::nodes() const {
  std::vector<Digraph::Node> found;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    for (std::uint64_t rest = bits_[i]; rest != 0; rest &= rest - 1)
      found.push_back(
          static_cast<Digraph::Node>(i * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
  return found;
}

NodeSet& NodeSet::operator|=(const NodeSet& other) {
  check(universe_ == other.universe_, "sets of different graphs");
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  return *this;
}

NodeSet& NodeSet::operator&=(const NodeSet& other) {
  check(universe_ == other.universe_, "sets of different graphs");
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= other.bits_[i];
  return *this;
}

NodeSet& NodeSet::operator-=(const NodeSet& other) {
  check(universe_ == other.universe_, "sets of different graphs");
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= ~other.bits_[i];
  return *this;
}

std::size_t NodeSet::hash() const {
  std::uint64_t mixed = universe_;
  for (std::uint64_t bits : bits_) {  // a multiply-xor-shift step per word
    mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15ULL;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

bool is_convex(const Digraph& graph, const NodeSet& nodes) {
  return find_convexity_violation(graph, nodes).empty();
}

std::vector<Digraph::Node> find_convexity_violation(const Digraph& graph, const NodeSet& nodes) {
  check(nodes.universe() == graph.size(), "a set of another graph");
  std::vector<Digraph::Node> before(graph.size(), -1);  // on a shortest path out of the set
  std::vector<Digraph::Node> queue;                     // nodes outside that the set reaches
  const auto visit = [&](Digraph::Node from, Digraph::Node to) {
    if (before[static_cast<std::size_t>(to)] >= 0) return;
    before[static_cast<std::size_t>(to)] = from;
    queue.push_back(to);
  };
  for (Digraph::Node member : nodes.nodes())
    for (Digraph::Node next : graph.successors(member))
      if (!nodes.contains(next)) visit(member, next);

  std::size_t visited = 0;  // the queue grows while it is worked off
  while (visited < queue.size()) {
    const Digraph::Node here = queue[visited++];
    for (Digraph::Node next : graph.successors(here)) {
      if (!nodes.contains(next)) {
        visit(here, next);
        continue;
      }
      std::vector<Digraph::Node> path{next, here};
      while (!nodes.contains(path.back()))
        path.push_back(before[static_cast<std::size_t>(path.back())]);
      std::reverse(path.begin(), path.end());
      return path;
    }
  }
  return {};
}

}  // namespace pipegraph
