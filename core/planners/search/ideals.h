// Families of ideals (sets closed under successors) over which the stage search runs. The richer
// the family, the more plans it can express; any family that contains the empty and the full set is
// sound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/node_set.h"
#include "core/planners/search/problem.h"

namespace pipegraph {

struct IdealFamily {
  std::vector<NodeSet> ideals;  ///< by size, then by content; first empty, last full
  std::string name;             ///< e.g. "all ideals"
  bool complete = false;        ///< every plan of the graph is expressible (up to symmetry)
};

/// Every ideal, or nothing when there are more than `limit`.
std::optional<IdealFamily> all_ideals(const Digraph& graph, std::size_t limit);

/// Prefixes of an order, read from its end: `order` is topological.
IdealFamily prefixes(const Digraph& graph, const std::vector<Digraph::Node>& order);

/// Union, sorted, without duplicates; `name` and `complete` of the result as given.
IdealFamily unite(const std::vector<IdealFamily>& families, const std::string& name, bool complete);

/// All ideals between two nested ones (both included), or nothing when more than `limit`.
std::optional<std::vector<NodeSet>> ideals_between(const Digraph& graph, const NodeSet& inner,
                                                   const NodeSet& outer, std::size_t limit);

/// Whether `set` is closed under successors.
bool is_ideal(const Digraph& graph, const NodeSet& set);

}  // namespace pipegraph
