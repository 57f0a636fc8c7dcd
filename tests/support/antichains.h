// The cuts of a graph that PipeDream's public planner knows, in its order: antichains, from the
// first source on. An operator that this source does not reach belongs to the first cut behind it.
#pragma once

#include <vector>

#include "core/graph/digraph.h"
#include "core/graph/node_set.h"

namespace pipegraph::test {

/// A cut, by what lies before it.
struct Antichain {
  std::vector<Digraph::Node> outputs;     ///< its nodes, and those before it that others read, too
  NodeSet before;                         ///< all ancestors of its nodes, these included
  std::vector<std::size_t> reached_from;  ///< the antichains on any way to this one, ascending
};

/// All antichains that single steps along an edge make of the first source, every one after those
/// it is reached from. Of equals that the planner takes in the order of a hash the least comes
/// first. Time and size grow exponentially with the width of the graph.
std::vector<Antichain> antichains(const Digraph& graph);

}  // namespace pipegraph::test
