#include "core/planners/search/branch_swaps.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/graph/series_parallel.h"

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;
constexpr std::size_t k_most_blocks = 64;  // of a branch: its code is one word

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  return seed * 0xff51afd7ed558ccdULL;
}

/// A part of the tree: its shape and its blocks in an order that equal shapes share.
struct Part {
  std::uint64_t shape = 0;
  std::vector<Digraph::Node> blocks;
};

class SwapFinder {
 public:
  SwapFinder(const Digraph& graph, std::span<const std::uint64_t> signature)
      : graph_(graph), signature_(signature) {}

  Part visit(const SeriesParallelTree& tree) {
    if (tree.kind == Kind::Leaf)
      return {mix(1, signature_[static_cast<std::size_t>(tree.node)]), {tree.node}};
    std::vector<Part> parts;
    for (const SeriesParallelTree& child : tree.children) parts.push_back(visit(child));
    if (tree.kind == Kind::Parallel) {
      std::ranges::stable_sort(parts, {}, &Part::shape);
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) add(parts[i], parts[i + 1]);
    }
    Part whole{2 + static_cast<std::uint64_t>(tree.kind), {}};
    for (const Part& part : parts) {
      whole.shape = mix(whole.shape, part.shape);
      whole.blocks.insert(whole.blocks.end(), part.blocks.begin(), part.blocks.end());
    }
    return whole;
  }

  std::vector<BranchSwap> take() { return std::move(swaps_); }

 private:
  void add(const Part& first, const Part& second) {
    if (first.shape != second.shape || first.blocks.empty() ||
        first.blocks.size() != second.blocks.size() || first.blocks.size() > k_most_blocks)
      return;
    BranchSwap swap{first.blocks, second.blocks};
    if (keeps_edges(swap)) swaps_.push_back(std::move(swap));
  }

  bool keeps_edges(const BranchSwap& swap) const {
    std::vector<Digraph::Node> image(graph_.size());
    std::iota(image.begin(), image.end(), 0);
    for (std::size_t i = 0; i < swap.first.size(); ++i) {
      image[static_cast<std::size_t>(swap.first[i])] = swap.second[i];
      image[static_cast<std::size_t>(swap.second[i])] = swap.first[i];
    }
    return std::ranges::all_of(graph_.edges(), [&](const Digraph::Edge& edge) {
      const auto next = graph_.successors(image[static_cast<std::size_t>(edge.from)]);
      return std::ranges::find(next, image[static_cast<std::size_t>(edge.to)]) != next.end();
    });
  }

  const Digraph& graph_;
  std::span<const std::uint64_t> signature_;
  std::vector<BranchSwap> swaps_;
};

}  // namespace

std::vector<BranchSwap> find_branch_swaps(const Digraph& graph,
                                          std::span<const std::uint64_t> signature) {
  if (signature.empty()) return {};
  const auto tree = decompose_series_parallel(graph);
  if (!std::holds_alternative<SeriesParallelTree>(tree)) return {};
  SwapFinder finder(graph, signature);
  finder.visit(std::get<SeriesParallelTree>(tree));
  return finder.take();
}

std::uint64_t branch_code(const std::vector<Digraph::Node>& branch, const NodeSet& set) {
  std::uint64_t code = 0;
  for (const Digraph::Node block : branch) code = code << 1 | (set.contains(block) ? 1U : 0U);
  return code;
}

Canonical canonical(const std::vector<BranchSwap>& swaps, const NodeSet& set) {
  Canonical result{set, std::vector<Digraph::Node>(set.universe())};
  std::vector<Digraph::Node> holds(set.universe());  // by place: the block that came there
  std::iota(holds.begin(), holds.end(), 0);
  for (bool sorted = false; !sorted;) {
    sorted = true;
    for (const BranchSwap& swap : swaps) {
      if (branch_code(swap.first, result.set) >= branch_code(swap.second, result.set)) continue;
      sorted = false;
      for (std::size_t i = 0; i < swap.first.size(); ++i) {
        const Digraph::Node a = swap.first[i];
        const Digraph::Node b = swap.second[i];
        std::swap(holds[static_cast<std::size_t>(a)], holds[static_cast<std::size_t>(b)]);
        const bool in_a = result.set.contains(a);
        const bool in_b = result.set.contains(b);
        in_b ? result.set.insert(a) : result.set.erase(a);
        in_a ? result.set.insert(b) : result.set.erase(b);
      }
    }
  }
  for (std::size_t place = 0; place < holds.size(); ++place)
    result.moved[static_cast<std::size_t>(holds[place])] = static_cast<Digraph::Node>(place);
  return result;
}

}  // namespace pipegraph
