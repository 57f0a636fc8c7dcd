#include "core/planners/search/family.h"

#include <algorithm>
#include <map>

#include "core/graph/series_parallel.h"

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;
using Sets = std::vector<NodeSet>;  // ideals of a part: first empty, last the whole part

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  return seed * 0xff51afd7ed558ccdULL;
}

/// Branches of equal shape and cost, and what each looks like when cut.
struct BranchClass {
  std::vector<Sets> branches;  ///< [branch][position]; equal positions are equal cuts
  std::size_t positions() const { return branches.front().size(); }
};

class Generator {
 public:
  Generator(std::size_t universe, std::span<const std::uint64_t> signature, BranchCuts cuts,
            std::size_t limit)
      : universe_(universe), signature_(signature), cuts_(cuts), limit_(limit) {}

  /// Nothing once the limit is passed.
  std::optional<Sets> ideals(const SeriesParallelTree& tree) const {
    switch (tree.kind) {
      case Kind::Empty:
        return Sets{NodeSet(universe_)};
      case Kind::Leaf: {
        NodeSet block(universe_);
        block.insert(tree.node);
        return Sets{NodeSet(universe_), block};
      }
      case Kind::Series:
        return series(tree);
      case Kind::Parallel:
        return parallel(tree);
    }
    return std::nullopt;
  }

 private:
  std::uint64_t shape(const SeriesParallelTree& tree) const {
    if (tree.kind == Kind::Leaf) return mix(1, signature_[static_cast<std::size_t>(tree.node)]);
    std::vector<std::uint64_t> parts;
    for (const SeriesParallelTree& child : tree.children) parts.push_back(shape(child));
    if (tree.kind == Kind::Parallel) std::ranges::sort(parts);
    std::uint64_t hash = 2 + static_cast<std::uint64_t>(tree.kind);
    for (const std::uint64_t part : parts) hash = mix(hash, part);
    return hash;
  }

  std::optional<Sets> series(const SeriesParallelTree& tree) const {
    Sets result{NodeSet(universe_)};
    for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) {
      const auto part = ideals(*child);
      if (!part || part->size() + result.size() > limit_) return std::nullopt;
      const NodeSet below = result.back();
      for (std::size_t i = 1; i < part->size(); ++i) {
        result.push_back((*part)[i]);
        result.back() |= below;
      }
    }
    return result;
  }

  std::optional<std::vector<BranchClass>> classes(const SeriesParallelTree& tree) const {
    std::map<std::uint64_t, BranchClass> by_shape;
    for (const SeriesParallelTree& child : tree.children) {
      if (child.kind == Kind::Empty) continue;
      auto part = ideals(child);
      if (!part) return std::nullopt;
      by_shape[shape(child)].branches.push_back(std::move(*part));
    }
    std::vector<BranchClass> result;
    for (auto& [hash, branches] : by_shape) result.push_back(std::move(branches));
    return result;
  }

  std::optional<Sets> parallel(const SeriesParallelTree& tree) const {
    const auto branch_classes = classes(tree);
    if (!branch_classes) return std::nullopt;
    if (cuts_ == BranchCuts::Multiset) return multiset_product(*branch_classes);
    return one_class_cut(*branch_classes);
  }

  /// All depths of every branch, sorted within a class, deepest first.
  std::optional<Sets> multiset_product(const std::vector<BranchClass>& branch_classes) const {
    Sets result{NodeSet(universe_)};
    for (const BranchClass& branches : branch_classes) {
      Sets cuts;
      if (!multisets(branches, 0, branches.positions() - 1, NodeSet(universe_), cuts) ||
          cuts.size() * result.size() > limit_)
        return std::nullopt;
      Sets product;
      for (const NodeSet& before : result)
        for (const NodeSet& cut : cuts) {
          product.push_back(before);
          product.back() |= cut;
        }
      result = std::move(product);
    }
    return result;
  }

  bool multisets(const BranchClass& branches, std::size_t branch, std::size_t deepest,
                 const NodeSet& so_far, Sets& found) const {
    if (branch == branches.branches.size()) {
      found.push_back(so_far);
      return found.size() <= limit_;
    }
    for (std::size_t position = 0; position <= deepest; ++position) {
      NodeSet next = so_far;
      next |= branches.branches[branch][position];
      if (!multisets(branches, branch + 1, position, next, found)) return false;
    }
    return true;
  }

  static NodeSet whole(std::size_t universe, const BranchClass& branches) {
    NodeSet all(universe);
    for (const Sets& branch : branches.branches) all |= branch.back();
    return all;
  }

  /// Whole branches of the classes other than `cut`: every combination of counts, or, when classes
  /// come in order, exactly those before it.
  Sets whole_branches(const std::vector<BranchClass>& branch_classes, std::size_t cut) const {
    Sets result{NodeSet(universe_)};
    if (cuts_ == BranchCuts::Ordered) {
      for (std::size_t c = 0; c < cut; ++c) result[0] |= whole(universe_, branch_classes[c]);
      return result;
    }
    for (std::size_t c = 0; c < branch_classes.size() && result.size() <= limit_; ++c) {
      if (c == cut) continue;
      const Sets before = result;
      for (const NodeSet& base : before) {
        NodeSet next = base;
        for (const Sets& branch : branch_classes[c].branches) {
          next |= branch.back();
          result.push_back(next);
        }
      }
    }
    return result;
  }

  /// The cuts of one class, the other classes whole or untouched.
  Sets cuts_of(const BranchClass& branches) const {
    const std::size_t count = branches.branches.size();
    Sets result;
    NodeSet finished(universe_);
    for (std::size_t full = 0; full < count; ++full) {
      for (std::size_t p = 1; p < branches.positions(); ++p) {
        NodeSet next = finished;
        for (std::size_t cut = full; cut < count; ++cut) {
          next |= branches.branches[cut][p];
          const bool diagonal = full == 0 && cut + 1 == count;
          if (cuts_ == BranchCuts::Split || cut == full || diagonal) result.push_back(next);
        }
      }
      finished |= branches.branches[full].back();
    }
    return result;
  }

  std::optional<Sets> one_class_cut(const std::vector<BranchClass>& branch_classes) const {
    Sets result{NodeSet(universe_)};
    for (std::size_t c = 0; c < branch_classes.size(); ++c) {
      const Sets others = whole_branches(branch_classes, c);
      const Sets cuts = cuts_of(branch_classes[c]);
      if (others.size() * cuts.size() + result.size() > 4 * limit_) return std::nullopt;
      for (const NodeSet& other : others)
        for (const NodeSet& cut : cuts) {
          result.push_back(other);
          result.back() |= cut;
        }
    }
    NodeSet all(universe_);
    for (const BranchClass& branches : branch_classes) all |= whole(universe_, branches);
    std::erase(result, all);
    result.push_back(all);
    if (result.size() > 4 * limit_) return std::nullopt;
    return result;
  }

  std::size_t universe_;
  std::span<const std::uint64_t> signature_;
  BranchCuts cuts_;
  std::size_t limit_;
};

/// From the last branch to the first, each whole, so that the first is removed first.
void append_in_order(const SeriesParallelTree& tree, std::vector<Digraph::Node>& order) {
  if (tree.kind == Kind::Leaf) order.push_back(tree.node);
  if (tree.kind == Kind::Series)
    for (const SeriesParallelTree& child : tree.children) append_in_order(child, order);
  if (tree.kind == Kind::Parallel)
    for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
      append_in_order(*child, order);
}

/// What the paper's recursion builds of parts in series and side by side, joins on their own: one
/// branch after the other as they stand in the tree, which classes of branches may reorder.
IdealFamily in_tree_order(const Digraph& graph, const SeriesParallelTree& tree) {
  std::vector<Digraph::Node> order;
  append_in_order(tree, order);
  return prefixes(graph, order);
}

const char* name_of(BranchCuts cuts) {
  switch (cuts) {
    case BranchCuts::Multiset:
      return "branches cut anywhere";
    case BranchCuts::Split:
      return "identical branches cut together";
    case BranchCuts::OneCut:
      return "one branch cut at a time";
    case BranchCuts::Ordered:
      return "one branch cut at a time, in order";
  }
  return "";
}

}  // namespace

std::optional<IdealFamily> series_parallel_family(const Digraph& graph,
                                                  std::span<const std::uint64_t> signature,
                                                  BranchCuts cuts, std::size_t limit) {
  const auto tree = decompose_series_parallel(graph);
  if (!std::holds_alternative<SeriesParallelTree>(tree)) return std::nullopt;
  auto sets =
      Generator(graph.size(), signature, cuts, limit).ideals(std::get<SeriesParallelTree>(tree));
  if (!sets) return std::nullopt;
  IdealFamily family = unite({{std::move(*sets), "", false}}, name_of(cuts), false);
  if (family.ideals.size() > limit) return std::nullopt;
  return family;
}

IdealFamily choose_family(const SearchProblem& problem, std::span<const std::uint64_t> signature,
                          const FamilyOptions& options) {
  if (auto family = all_ideals(problem.graph, options.complete)) return std::move(*family);
  const auto decomposed = decompose_series_parallel(problem.graph);
  const auto* tree = std::get_if<SeriesParallelTree>(&decomposed);
  for (const BranchCuts cuts :
       {BranchCuts::Multiset, BranchCuts::Split, BranchCuts::OneCut, BranchCuts::Ordered}) {
    const auto cut = series_parallel_family(problem.graph, signature, cuts, options.partial);
    if (!cut) continue;
    IdealFamily family = unite({*cut, in_tree_order(problem.graph, *tree)}, cut->name, false);
    if (family.ideals.size() <= options.partial) return family;
  }
  std::vector<IdealFamily> orders{prefixes(problem.graph, lean_order(problem))};
  for (std::size_t variant = 0; variant < 8; ++variant) {
    if ((orders.size() + 1) * problem.blocks() > options.partial) break;
    orders.push_back(prefixes(problem.graph, depth_first_order(problem.graph, variant)));
  }
  return unite(orders, "prefixes of several orders", false);
}

}  // namespace pipegraph
