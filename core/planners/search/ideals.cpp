#include "core/planners/search/ideals.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

struct SetHash {
  std::size_t operator()(const NodeSet& set) const { return set.hash(); }
};

void sort_ideals(std::vector<NodeSet>& ideals) {
  struct Keyed {
    std::size_t count;
    std::vector<Digraph::Node> nodes;
    NodeSet set;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(ideals.size());
  for (NodeSet& set : ideals) {
    auto nodes = set.nodes();
    keyed.push_back({nodes.size(), std::move(nodes), std::move(set)});
  }
  std::ranges::sort(keyed, [](const Keyed& a, const Keyed& b) {
    return a.count != b.count ? a.count < b.count : a.nodes < b.nodes;
  });
  ideals.clear();
  for (Keyed& entry : keyed) ideals.push_back(std::move(entry.set));
}

NodeSet full_set(std::size_t size) {
  NodeSet set(size);
  for (std::size_t i = 0; i < size; ++i) set.insert(static_cast<Digraph::Node>(i));
  return set;
}

bool may_join(const Digraph& graph, const NodeSet& set, Digraph::Node node) {
  return !set.contains(node) &&
         std::ranges::all_of(graph.successors(node), [&](auto s) { return set.contains(s); });
}

}  // namespace

std::optional<std::vector<NodeSet>> ideals_between(const Digraph& graph, const NodeSet& inner,
                                                   const NodeSet& outer, std::size_t limit) {
  NodeSet rest = outer;
  rest -= inner;
  const std::vector<Digraph::Node> candidates = rest.nodes();
  std::unordered_set<NodeSet, SetHash> seen{inner};
  std::vector<NodeSet> found{inner};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Digraph::Node node : candidates) {
      if (!may_join(graph, found[i], node)) continue;
      NodeSet next = found[i];
      next.insert(node);
      if (!seen.insert(next).second) continue;
      if (seen.size() > limit) return std::nullopt;
      found.push_back(std::move(next));
    }
  }
  return found;
}

std::optional<IdealFamily> all_ideals(const Digraph& graph, std::size_t limit) {
  auto found = ideals_between(graph, NodeSet(graph.size()), full_set(graph.size()), limit);
  if (!found) return std::nullopt;
  sort_ideals(*found);
  return IdealFamily{std::move(*found), "all ideals", true};
}

IdealFamily prefixes(const Digraph& graph, const std::vector<Digraph::Node>& order) {
  IdealFamily family{{NodeSet(graph.size())}, "one order", false};
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    NodeSet next = family.ideals.back();
    check(may_join(graph, next, *node), "the order is not topological");
    next.insert(*node);
    family.ideals.push_back(std::move(next));
  }
  return family;
}

IdealFamily unite(const std::vector<IdealFamily>& families, const std::string& name,
                  bool complete) {
  std::unordered_set<NodeSet, SetHash> seen;
  IdealFamily result{{}, name, complete};
  for (const IdealFamily& family : families)
    for (const NodeSet& set : family.ideals)
      if (seen.insert(set).second) result.ideals.push_back(set);
  sort_ideals(result.ideals);
  return result;
}

bool is_ideal(const Digraph& graph, const NodeSet& set) {
  for (const Digraph::Node node : set.nodes())
    for (const Digraph::Node next : graph.successors(node))
      if (!set.contains(next)) return false;
  return true;
}

}  // namespace pipegraph
