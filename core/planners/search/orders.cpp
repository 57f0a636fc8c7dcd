#include <algorithm>

#include "core/planners/search/family.h"

namespace pipegraph {
namespace {

/// Takes blocks from the sinks up; `free` are those all of whose successors are taken.
class Taker {
 public:
  explicit Taker(const Digraph& graph) : graph_(graph), missing_(graph.size()) {
    for (std::size_t node = 0; node < graph.size(); ++node) {
      missing_[node] = graph.successors(static_cast<Digraph::Node>(node)).size();
      if (missing_[node] == 0) free_.push_back(static_cast<Digraph::Node>(node));
    }
  }

  const std::vector<Digraph::Node>& free() const { return free_; }

  /// Returns the blocks that became free, ascending.
  std::vector<Digraph::Node> take(Digraph::Node node) {
    std::erase(free_, node);
    taken_.push_back(node);
    std::vector<Digraph::Node> released;
    for (const Digraph::Node before : graph_.predecessors(node))
      if (--missing_[static_cast<std::size_t>(before)] == 0) released.push_back(before);
    free_.insert(free_.end(), released.begin(), released.end());
    return released;
  }

  std::vector<Digraph::Node> topological() const { return {taken_.rbegin(), taken_.rend()}; }

 private:
  const Digraph& graph_;
  std::vector<std::size_t> missing_;
  std::vector<Digraph::Node> free_;
  std::vector<Digraph::Node> taken_;
};

}  // namespace

std::vector<Digraph::Node> lean_order(const SearchProblem& problem) {
  std::vector<std::vector<std::size_t>> read(problem.blocks());
  std::vector<double> produced(problem.blocks(), 0.0);
  for (std::size_t t = 0; t < problem.tensors.size(); ++t) {
    const SearchTensor& tensor = problem.tensors[t];
    produced[static_cast<std::size_t>(tensor.producer)] += tensor.bytes;
    for (const Digraph::Node consumer : tensor.consumers)
      read[static_cast<std::size_t>(consumer)].push_back(t);
  }
  std::vector<char> live(problem.tensors.size(), 0);
  const auto growth = [&](Digraph::Node node) {
    double bytes = -produced[static_cast<std::size_t>(node)];
    for (const std::size_t t : read[static_cast<std::size_t>(node)])
      if (live[t] == 0) bytes += problem.tensors[t].bytes;
    return bytes;
  };
  Taker taker(problem.graph);
  while (!taker.free().empty()) {
    Digraph::Node best = taker.free().front();
    for (const Digraph::Node node : taker.free()) {
      const double difference = growth(node) - growth(best);
      if (difference < 0.0 || (difference == 0.0 && node < best)) best = node;
    }
    for (const std::size_t t : read[static_cast<std::size_t>(best)]) live[t] = 1;
    taker.take(best);
  }
  return taker.topological();
}

std::vector<Digraph::Node> depth_first_order(const Digraph& graph, std::size_t variant) {
  Taker taker(graph);
  std::vector<Digraph::Node> stack = taker.free();
  const auto rotate = [variant](std::vector<Digraph::Node>& nodes) {
    if (!nodes.empty())
      std::ranges::rotate(nodes,
                          nodes.begin() + static_cast<std::ptrdiff_t>(variant % nodes.size()));
  };
  rotate(stack);
  while (!stack.empty()) {
    const Digraph::Node node = stack.back();
    stack.pop_back();
    std::vector<Digraph::Node> released = taker.take(node);
    rotate(released);
    stack.insert(stack.end(), released.begin(), released.end());
  }
  return taker.topological();
}

}  // namespace pipegraph
