#include "core/planners/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/planners/linearise.h"

namespace pipegraph {
namespace {

using Node = Digraph::Node;

/// Bytes that blocks need on one device, at least, and how many one may need.
struct BlockMemory {
  std::vector<double> needed;
  double most = std::numeric_limits<double>::infinity();
};

/// With one sample in flight. A block may have an eighth of a device, so that stages can be made of
/// several; where even that makes too many blocks more of it, but never more than half.
BlockMemory memory_of(const SearchProblem& problem, std::size_t most_blocks) {
  BlockMemory memory;
  double total = 0.0;
  for (std::size_t i = 0; i < problem.blocks(); ++i) {
    memory.needed.push_back(problem.fixed[i] + problem.saved[i]);
    total += memory.needed.back();
  }
  memory.most =
      std::min(problem.memory / 2.0,
               std::max(problem.memory / 8.0, 4.0 * total / static_cast<double>(most_blocks)));
  return memory;
}

/// Blocks under construction: each named by its root operator.
class Blocks {
 public:
  Blocks(const ComputationGraph& graph, std::vector<double> work, BlockMemory memory)
      : graph_(&graph), root_(graph.size()), work_(std::move(work)), memory_(std::move(memory)) {
    std::iota(root_.begin(), root_.end(), Node{0});
  }

  std::size_t count() const {
    std::size_t roots = 0;
    for (std::size_t i = 0; i < root_.size(); ++i)
      roots += find(static_cast<Node>(i)) == static_cast<Node>(i) ? 1 : 0;
    return roots;
  }

  /// Joins every block whose only neighbour on one side leaves room below `most_work`. In order of
  /// operators, so that a block's own predecessor is settled first.
  void join(double most_work) {
    const Digraph contracted = quotient();
    std::vector<char> changed(graph_->size(), 0);  // a neighbour's edges are stale after a join
    for (const OperatorId id : graph_->order()) {
      const Node block = find(id.value);
      if (block != id.value || changed[index(block)] != 0) continue;
      const auto before = contracted.predecessors(block);
      const auto after = contracted.successors(block);
      const auto try_join = [&](Node other) {
        if (changed[index(other)] != 0 || !may_join(block, other, most_work)) return false;
        changed[index(block)] = changed[index(other)] = 1;
        unite(block, other);
        return true;
      };
      if (before.size() == 1 && try_join(before[0])) continue;
      if (after.size() == 1) try_join(after[0]);
    }
  }

  /// Joins blocks that follow each other branch by branch. Segments of a topological order are
  /// convex, and acyclic among each other.
  void pack(double most_work) {
    Node last = -1;
    for (const Node block : branch_by_branch(quotient())) {
      if (find(block) != block) continue;  // joined before: a node of its own there
      if (last >= 0 && may_join(last, block, most_work))
        last = unite(last, block);
      else
        last = block;
    }
  }

  std::vector<std::vector<OperatorId>> blocks() const {
    std::vector<std::vector<OperatorId>> result;
    std::vector<std::int32_t> position(graph_->size(), -1);
    for (std::size_t i = 0; i < graph_->size(); ++i) {
      std::int32_t& at = position[index(find(static_cast<Node>(i)))];
      if (at < 0) {
        at = static_cast<std::int32_t>(result.size());
        result.emplace_back();
      }
      result[static_cast<std::size_t>(at)].push_back(make_id<OperatorId>(i));
    }
    return result;
  }

 private:
  static std::size_t index(Node node) { return static_cast<std::size_t>(node); }
  Node find(Node node) const {
    while (root_[index(node)] != node) node = root_[index(node)];
    return node;
  }
  bool may_join(Node a, Node b, double most_work) const {
    return work_[index(a)] + work_[index(b)] <= most_work &&
           memory_.needed[index(a)] + memory_.needed[index(b)] <= memory_.most;
  }
  /// The block of both.
  Node unite(Node a, Node b) {
    const Node kept = std::min(a, b);
    const Node gone = std::max(a, b);
    root_[index(gone)] = kept;
    work_[index(kept)] += work_[index(gone)];
    memory_.needed[index(kept)] += memory_.needed[index(gone)];
    return kept;
  }
  Digraph quotient() const {
    std::vector<Digraph::Edge> edges;
    for (const Digraph::Edge& edge : graph_->edges().edges())
      if (find(edge.from) != find(edge.to)) edges.push_back({find(edge.from), find(edge.to)});
    return Digraph(graph_->size(), std::move(edges));
  }

  const ComputationGraph* graph_;
  std::vector<Node> root_;
  std::vector<double> work_;
  BlockMemory memory_;
};

/// Seconds per operator, forward and backward, at one sample; equal ones where none takes any.
std::vector<double> work_of(const Workload& workload, const SearchInput& input) {
  std::vector<double> by_class(workload.graph->size(), -1.0);
  std::vector<double> work;
  for (std::size_t i = 0; i < workload.graph->size(); ++i) {
    double& seconds = by_class[input.cost_class[i]];
    const auto id = make_id<OperatorId>(i);
    if (seconds < 0.0)
      seconds = (workload.costs->time(id, Pass::Forward, 1, input.rate) +
                 workload.costs->time(id, Pass::Backward, 1, input.rate))
                    .count();
    work.push_back(seconds);
  }
  const bool none = std::ranges::all_of(work, [](double seconds) { return seconds == 0.0; });
  if (none) work.assign(work.size(), 1.0);
  return work;
}

}  // namespace

std::vector<std::vector<OperatorId>> contracted_blocks(const Workload& workload,
                                                       const SearchInput& input,
                                                       std::size_t most_blocks) {
  const std::vector<double> work = work_of(workload, input);
  const double total = std::accumulate(work.begin(), work.end(), 0.0);
  const double even = total / static_cast<double>(most_blocks);
  Blocks blocks(*workload.graph, work, memory_of(input.problem, most_blocks));
  // From work that is next to nothing to a good part of a device's share.
  Blocks small = blocks;  // of no more than an even share
  const double most = std::max(total / input.problem.devices / 4.0, 4.0 * even);
  for (double share = total / input.problem.devices / 4096.0; share <= most; share *= 2.0) {
    for (std::size_t before = 0, now = blocks.count(); now != before && now > most_blocks;) {
      before = now;
      blocks.join(share);
      now = blocks.count();
    }
    if (blocks.count() <= most_blocks) return blocks.blocks();
    if (share <= even) small = blocks;
  }
  // Most have several neighbours on both sides, and the few others would swallow everything.
  for (double share = even; share < 2.0 * total; share *= 1.25) {
    Blocks packed = small;
    packed.pack(share);
    if (packed.count() <= most_blocks) return packed.blocks();
  }
  small.pack(2.0 * total);
  return small.blocks();
}

ContractedInput contracted_input(const Workload& workload, std::size_t most_blocks) {
  SearchInput fine = search_input(workload);
  if (fine.blocks.size() <= most_blocks) return {std::move(fine), {}};
  auto blocks = contracted_blocks(workload, fine, most_blocks);
  const std::string note =
      fmt::format("{} operators contracted to {} block{}", workload.graph->size(), blocks.size(),
                  blocks.size() == 1 ? "" : "s");
  return {search_input(workload, std::move(blocks)), {note}};
}

}  // namespace pipegraph
