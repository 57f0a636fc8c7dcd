#include "tests/support/antichains.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/base/errors.h"

namespace pipegraph::test {
namespace {

using Node = Digraph::Node;
using Nodes = std::vector<Node>;

/// Numbers antichains as they are found and keeps the steps between them.
class Discovery {
 public:
  explicit Discovery(const Digraph& graph) : graph_(graph) {
    const auto order = topological_order(graph);
    check(order.has_value(), "an acyclic graph");
    before_.assign(graph.size(), NodeSet(graph.size()));
    after_ = before_;
    for (const Node node : *order)
      for (const Node from : graph.predecessors(node)) {
        at(before_, node).insert(from);
        at(before_, node) |= at(before_, from);
      }
    for (auto node = order->rbegin(); node != order->rend(); ++node)
      for (const Node to : graph.successors(*node)) {
        at(after_, *node).insert(to);
        at(after_, *node) |= at(after_, to);
      }
    number({graph.sources().front()});
    for (std::size_t next = 0; next < found_.size(); ++next) step_from(next);
  }

  /// Later ones first, depth first from the first antichain.
  std::vector<Antichain> in_order() const {
    std::vector<std::size_t> order;
    std::vector<char> seen(found_.size(), 0);
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
      if (seen[i]++) return;
      for (const std::size_t next : steps_[i]) visit(next);
      order.push_back(i);
    };
    visit(0);
    std::ranges::reverse(order);
    return described(order);
  }

 private:
  static NodeSet& at(std::vector<NodeSet>& sets, Node node) {
    return sets[static_cast<std::size_t>(node)];
  }
  const NodeSet& before(Node node) const { return before_[static_cast<std::size_t>(node)]; }
  const NodeSet& after(Node node) const { return after_[static_cast<std::size_t>(node)]; }

  std::size_t number(const Nodes& antichain) {
    Nodes key = antichain;
    std::ranges::sort(key);
    const auto [known, added] = numbers_.emplace(std::move(key), found_.size());
    if (added) {
      found_.push_back(antichain);
      steps_.emplace_back();
    }
    return known->second;
  }

  /// The nodes whose output crosses the cut: its own, after those before it that have another
  /// reader.
  Nodes outputs(const Nodes& antichain) const {
    NodeSet shared(graph_.size());
    for (const Node node : antichain)
      for (const Node earlier : before(node).nodes())
        for (const Node reader : graph_.successors(earlier))
          if (reader != node && !before(node).contains(reader)) shared.insert(earlier);
    Nodes all = shared.nodes();
    all.insert(all.end(), antichain.begin(), antichain.end());
    return all;
  }

  /// Without nodes that lead to another of them, and without repetitions.
  Nodes last_of(const Nodes& nodes) const {
    Nodes last;
    for (const Node node : nodes)
      if (std::ranges::none_of(nodes, [&](Node other) { return after(node).contains(other); }) &&
          std::ranges::find(last, node) == last.end())
        last.push_back(node);
    return last;
  }

  /// Every way to put a reader in the place of what it reads, unless it leads back to the cut.
  void step_from(std::size_t i) {
    const Nodes antichain = found_[i];
    const Nodes crossing = outputs(antichain);
    for (const Node from : crossing)
      for (const Node to : graph_.successors(from)) {
        if (std::ranges::find(antichain, to) != antichain.end()) continue;
        if (std::ranges::any_of(crossing, [&](Node node) { return after(to).contains(node); }))
          continue;
        Nodes moved = crossing;
        std::ranges::replace(moved, from, to);
        const std::size_t next = number(last_of(moved));
        steps_[i].push_back(next);
      }
  }

  std::vector<Antichain> described(const std::vector<std::size_t>& order) const {
    std::vector<std::size_t> position(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = p;
    std::vector<NodeSet> from(order.size(), NodeSet(order.size()));
    std::vector<Antichain> result;
    for (std::size_t p = 0; p < order.size(); ++p) {
      Antichain& added = result.emplace_back();
      added.before = NodeSet(graph_.size());
      for (const Node node : found_[order[p]]) {
        added.before.insert(node);
        added.before |= before(node);
      }
      added.outputs = outputs(found_[order[p]]);
      for (const Node earlier : from[p].nodes())
        added.reached_from.push_back(static_cast<std::size_t>(earlier));
      for (const std::size_t next : steps_[order[p]]) {
        from[position[next]] |= from[p];
        from[position[next]].insert(static_cast<Node>(p));
      }
    }
    return result;
  }

  const Digraph& graph_;
  std::vector<NodeSet> before_, after_;  ///< by node, without itself
  std::map<Nodes, std::size_t> numbers_;
  std::vector<Nodes> found_;
  std::vector<std::vector<std::size_t>> steps_;
};

}  // namespace

std::vector<Antichain> antichains(const Digraph& graph) { return Discovery(graph).in_order(); }

}  // namespace pipegraph::test
