#include "core/planners/search/recursion_stages.h"

#include <algorithm>
#include <utility>

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;
using Blocks = std::vector<Digraph::Node>;

void append(const SeriesParallelTree& part, Blocks& blocks) {
  const Blocks nodes = part.nodes();
  blocks.insert(blocks.end(), nodes.begin(), nodes.end());
}

void append(const TreePart& part, Blocks& blocks) {
  for (std::size_t i = part.first; part.tree != nullptr && i < part.last; ++i)
    append(part.tree->kind == Kind::Series ? part.tree->children[i] : *part.tree, blocks);
}

}  // namespace

RecursionStages::RecursionStages(const SearchProblem& problem, const BatchCosts& costs,
                                 std::vector<int> counts)
    : problem_(problem), costs_(costs), counts_(std::move(counts)), output_of_(problem.blocks()) {
  for (const SearchTensor& tensor : problem.tensors)
    output_of_[static_cast<std::size_t>(tensor.producer)] = {tensor.bytes, tensor.crossings,
                                                             tensor.saved_at_consumer};
}

int RecursionStages::of(const StagePieces& pieces) {
  const auto [place, added] = by_pieces_.try_emplace(pieces, -1);
  if (!added) return place->second;
  Blocks blocks;
  append(pieces.children, blocks);
  append(pieces.branch, blocks);
  if (!blocks.empty()) place->second = number_of(std::move(blocks));
  return place->second;
}

int RecursionStages::of_branches(const TreePart& branches) {
  const auto [place, added] = by_branches_.try_emplace(branches, -1);
  if (!added) return place->second;
  Blocks blocks;
  for (std::size_t branch = branches.first; branch < branches.last; ++branch)
    append(branches.tree->children[branch], blocks);
  return place->second = number_of(std::move(blocks));
}

int RecursionStages::number_of(Blocks blocks) {
  std::ranges::sort(blocks);
  const auto [place, added] =
      by_blocks_.try_emplace(std::move(blocks), static_cast<int>(candidates_.size()));
  if (!added) return place->second;
  Candidate& made = candidates_.emplace_back();
  made.blocks = place->first;
  StageTimes times(problem_, costs_, made.blocks);
  for (const int count : counts_) {
    made.time.push_back(times.per_sample(count));
    made.fixed.push_back(memory_needed(problem_, costs_, made.blocks, count, 0));
    made.saved.push_back(memory_needed(problem_, costs_, made.blocks, count, 1) -
                         made.fixed.back());
  }
  return place->second;
}

std::size_t RecursionStages::branches_to_cut(const SeriesParallelTree& tree) {
  const auto [place, added] = branches_to_cut_.try_emplace(&tree, tree.children.size());
  if (added && std::ranges::all_of(tree.children, [&](const SeriesParallelTree& branch) {
        return alike(branch, tree.children.front());
      }))
    place->second = std::min<std::size_t>(1, tree.children.size());
  return place->second;
}

bool RecursionStages::alike(const SeriesParallelTree& a, const SeriesParallelTree& b) const {
  if (a.kind != b.kind || a.children.size() != b.children.size()) return false;
  if (a.kind == Kind::Leaf) return alike(a.node, b.node);
  return std::ranges::equal(a.children, b.children,
                            [&](const auto& one, const auto& other) { return alike(one, other); });
}

bool RecursionStages::alike(Digraph::Node a, Digraph::Node b) const {
  const auto i = static_cast<std::size_t>(a);
  const auto j = static_cast<std::size_t>(b);
  if (problem_.fixed[i] != problem_.fixed[j] || problem_.saved[i] != problem_.saved[j])
    return false;
  for (const std::vector<double>& row : costs_.time)
    if (row[i] != row[j]) return false;
  return output_of_[i] == output_of_[j];
}

}  // namespace pipegraph
