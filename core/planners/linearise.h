// A graph as a chain: branch after branch, each in topological order, joins last.
#pragma once

#include <span>
#include <vector>

#include "core/model/computation_graph.h"

namespace pipegraph {

/// A topological order that follows a branch as far as it goes before it begins the next; branches
/// in the order of their smallest operator. Any block of it is convex.
std::vector<OperatorId> linearise(const ComputationGraph& graph);

/// The same order of the nodes of any acyclic graph.
std::vector<Digraph::Node> branch_by_branch(const Digraph& graph);

}  // namespace pipegraph
