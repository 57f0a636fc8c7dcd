#include "core/planners/fork_join.h"

#include <fmt/format.h>

#include "core/graph/series_parallel.h"

namespace pipegraph {
namespace {

using Tree = SeriesParallelTree;

std::vector<const Tree*> branches_of(const Tree& parallel) {
  std::vector<const Tree*> branches;
  for (const Tree& child : parallel.children)
    if (child.kind != Tree::Kind::Empty) branches.push_back(&child);
  return branches;
}

/// The parts of a tree in series, single branches beside a bypass opened up.
void append_parts(const Tree& tree, std::vector<const Tree*>& parts) {
  if (tree.kind == Tree::Kind::Series) {
    for (const Tree& child : tree.children) append_parts(child, parts);
    return;
  }
  const bool bypassed = tree.kind == Tree::Kind::Parallel && branches_of(tree).size() == 1;
  if (bypassed)
    append_parts(*branches_of(tree).front(), parts);
  else
    parts.push_back(&tree);
}

void append_operators(const Tree& tree, std::vector<OperatorId>& operators) {
  for (const Digraph::Node node : tree.nodes()) operators.push_back(OperatorId{node});
}

double work_of(const Tree& tree, std::span<const double> work) {
  double total = 0;
  for (const Digraph::Node node : tree.nodes()) total += work[static_cast<std::size_t>(node)];
  return total;
}

/// Position of the fork-join with the most work, parts.size() if there is none.
std::size_t heaviest_fork_join(const std::vector<const Tree*>& parts,
                               std::span<const double> work) {
  std::size_t best = parts.size();
  double most = -1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->kind != Tree::Kind::Parallel) continue;
    const double own = work_of(*parts[i], work);
    if (own > most) {
      most = own;
      best = i;
    }
  }
  return best;
}

}  // namespace

std::variant<ForkJoin, NoForkJoin> outermost_fork_join(const ComputationGraph& graph,
                                                       std::span<const double> work) {
  const auto decomposed = decompose_series_parallel(graph.edges());
  if (const auto* no = std::get_if<NotSeriesParallel>(&decomposed))
    return NoForkJoin{fmt::format("the graph is not series-parallel between '{}' and '{}'",
                                  graph.at(OperatorId{no->from}).name,
                                  graph.at(OperatorId{no->to}).name)};
  std::vector<const Tree*> parts;
  append_parts(std::get<Tree>(decomposed), parts);
  const std::size_t chosen = heaviest_fork_join(parts, work);
  if (chosen == parts.size()) return NoForkJoin{"the graph has no parallel branches"};

  ForkJoin result;
  for (std::size_t i = 0; i < chosen; ++i) append_operators(*parts[i], result.stem);
  for (const Tree* branch : branches_of(*parts[chosen]))
    append_operators(*branch, result.branches.emplace_back());
  for (std::size_t i = chosen + 1; i < parts.size(); ++i) append_operators(*parts[i], result.join);
  return result;
}

}  // namespace pipegraph
