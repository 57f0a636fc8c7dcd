// Identical branches of a fork-join: exchanging two of them changes no cost, so a search may look
// at one of the ideals, and one of the stages, that such exchanges make of each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/digraph.h"
#include "core/graph/node_set.h"

namespace pipegraph {

/// Two identical branches, block for block. Of n identical ones there are n - 1 swaps: the first
/// with the second, the second with the third, ...; those inside a branch come before its own.
struct BranchSwap {
  std::vector<Digraph::Node> first;
  std::vector<Digraph::Node> second;
};

/// Of branches of up to 64 blocks. `signature` by block: equal for blocks that cost the same. None
/// if the graph is not series-parallel or `signature` is empty.
std::vector<BranchSwap> find_branch_swaps(const Digraph& graph,
                                          std::span<const std::uint64_t> signature);

/// Which blocks of a branch a set holds, as bits; comparable between the two sides of a swap.
std::uint64_t branch_code(const std::vector<Digraph::Node>& branch, const NodeSet& set);

/// The set that swaps lead to in which no second branch has a larger code than its first. `moved`
/// by block, updated: where each block of the original set has gone.
struct Canonical {
  NodeSet set;
  std::vector<Digraph::Node> moved;
};
Canonical canonical(const std::vector<BranchSwap>& swaps, const NodeSet& set);

}  // namespace pipegraph
