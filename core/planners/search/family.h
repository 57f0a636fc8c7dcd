// Which family of ideals to search: all of them where there are few, else families generated from
// the series-parallel tree in which identical branches are collapsed, else prefixes of a few
// orders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/planners/search/ideals.h"

namespace pipegraph {

struct FamilyOptions {
  std::size_t complete = 1'500;  ///< most ideals of the whole set: searched exactly
  std::size_t partial = 400;     ///< most ideals of a family that cannot express every plan
};

/// The richest family within the limits (at least one order, whatever they are).
/// `signature` by block: equal for blocks that cost the same; branches of equal shape and
/// signatures count as identical.
IdealFamily choose_family(const SearchProblem& problem, std::span<const std::uint64_t> signature,
                          const FamilyOptions& options = {});

/// How a fork-join's branches may be cut, richest first.
enum class BranchCuts : std::uint8_t {
  Multiset,  ///< any depths in any branches; of identical branches the deepest first
  Split,     ///< some whole, some of one class cut at one depth, the others untouched
  OneCut,    ///< some whole, one cut anywhere; or all of a class cut at one depth
  Ordered,   ///< as OneCut, classes of branches one after the other
};

/// The family of a series-parallel graph, or nothing when it has more than `limit` ideals or the
/// graph is not series-parallel.
std::optional<IdealFamily> series_parallel_family(const Digraph& graph,
                                                  std::span<const std::uint64_t> signature,
                                                  BranchCuts cuts, std::size_t limit);

/// A topological order that, from the sinks up, next takes the block that leaves the fewest live
/// bytes (ties: the smallest block).
std::vector<Digraph::Node> lean_order(const SearchProblem& problem);

/// Topological orders by depth-first search from the sinks: the whole of one branch before the
/// next; `variant` rotates the order of branches.
std::vector<Digraph::Node> depth_first_order(const Digraph& graph, std::size_t variant);

}  // namespace pipegraph
