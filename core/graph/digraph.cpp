// Adjacency in two flat arrays; all walks are iterative, so that deep graphs need no stack.
#include "core/graph/digraph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <ranges>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

std::size_t position(Digraph::Node node) { return static_cast<std::size_t>(node); }

/// First index of each node's neighbours in an array sorted by `end` (from or to) of the edges.
std::vector<std::uint32_t> offsets(std::size_t nodes, const std::vector<Digraph::Edge>& edges,
                                   Digraph::Node Digraph::Edge::*end) {
  std::vector<std::uint32_t> begin(nodes + 1, 0);
  for (const Digraph::Edge& edge : edges) ++begin[position(edge.*end) + 1];
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
  return begin;
}

}  // namespace

Digraph::Digraph(std::size_t nodes, std::vector<Edge> edges)
    : nodes_(nodes), edges_(std::move(edges)) {
  for (const Edge& edge : edges_)
    check(
        edge.from >= 0 && edge.to >= 0 && position(edge.from) < nodes && position(edge.to) < nodes,
        "an edge ends outside the graph");
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());

  successor_begin_ = offsets(nodes, edges_, &Edge::from);
  predecessor_begin_ = offsets(nodes, edges_, &Edge::to);
  successors_.reserve(edges_.size());
  predecessors_.resize(edges_.size());
  std::vector<std::uint32_t> next(predecessor_begin_);
  for (const Edge& edge : edges_) {
    successors_.push_back(edge.to);
    predecessors_[next[position(edge.to)]++] = edge.from;
  }
}

std::span<const Digraph::Node> Digraph::successors(Node node) const {
  const std::size_t i = position(node);
  check(i < nodes_, "no such node");
  return std::span(successors_)
      .subspan(successor_begin_[i], successor_begin_[i + 1] - successor_begin_[i]);
}

std::span<const Digraph::Node> Digraph::predecessors(Node node) const {
  const std::size_t i = position(node);
  check(i < nodes_, "no such node");
  return std::span(predecessors_)
      .subspan(predecessor_begin_[i], predecessor_begin_[i + 1] - predecessor_begin_[i]);
}

std::vector<Digraph::Node> Digraph::sources() const {
  std::vector<Node> found;
  for (std::size_t i = 0; i < nodes_; ++i)
    if (predecessor_begin_[i] == predecessor_begin_[i + 1]) found.push_back(static_cast<Node>(i));
  return found;
}

std::vector<Digraph::Node> Digraph::sinks() const {
  std::vector<Node> found;
  for (std::size_t i = 0; i < nodes_; ++i)
    if (successor_begin_[i] == successor_begin_[i + 1]) found.push_back(static_cast<Node>(i));
  return found;
}

std::optional<std::vector<Digraph::Node>> topological_order(const Digraph& graph) {
  std::vector<std::size_t> missing(graph.size());
  std::priority_queue<Digraph::Node, std::vector<Digraph::Node>, std::greater<>> available;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto node = static_cast<Digraph::Node>(i);
    missing[i] = graph.predecessors(node).size();
    if (missing[i] == 0) available.push(node);
  }

  std::vector<Digraph::Node> order;
  order.reserve(graph.size());
  while (!available.empty()) {
    order.push_back(available.top());
    available.pop();
    for (Digraph::Node next : graph.successors(order.back()))
      if (--missing[position(next)] == 0) available.push(next);
  }
  if (order.size() < graph.size()) return std::nullopt;
  return order;
}

std::vector<Digraph::Node> find_cycle(const Digraph& graph) {
  enum class State : std::uint8_t { New, OnPath, Done };
  std::vector<State> state(graph.size(), State::New);
  std::vector<Digraph::Node> path;
  std::vector<std::size_t> next(graph.size(), 0);  // position among the node's successors

  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (state[start] != State::New) continue;
    path.push_back(static_cast<Digraph::Node>(start));
    state[start] = State::OnPath;
    while (!path.empty()) {
      const std::size_t here = position(path.back());
      const auto successors = graph.successors(path.back());
      if (next[here] == successors.size()) {
        state[here] = State::Done;
        path.pop_back();
        continue;
      }
      const Digraph::Node to = successors[next[here]++];
      if (state[position(to)] == State::OnPath)
        return {std::find(path.begin(), path.end(), to), path.end()};
      if (state[position(to)] == State::New) {
        state[position(to)] = State::OnPath;
        path.push_back(to);
      }
    }
  }
  return {};
}

std::vector<int> longest_paths_to_sinks(const Digraph& graph) {
  const auto order = topological_order(graph);
  check(order.has_value(), "longest paths need an acyclic graph");
  std::vector<int> length(graph.size(), 1);
  for (Digraph::Node node : *order | std::views::reverse)
    for (Digraph::Node next : graph.successors(node))
      length[position(node)] = std::max(length[position(node)], length[position(next)] + 1);
  return length;
}

}  // namespace pipegraph
