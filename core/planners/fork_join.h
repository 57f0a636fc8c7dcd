// The outermost fork-join of a network: what stands before it, its branches, what stands after.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/model/computation_graph.h"

namespace pipegraph {

/// Lists in topological order, branch after branch inside them.
struct ForkJoin {
  std::vector<OperatorId> stem;                   ///< may be empty
  std::vector<std::vector<OperatorId>> branches;  ///< two or more, none empty
  std::vector<OperatorId> join;                   ///< the join and all after it; may be empty
};

struct NoForkJoin {
  std::string reason;  ///< "the graph has no parallel branches", ...
};

/// Of several fork-joins in series, the one with the most work (of equals the first). A bypass
/// around a single branch is none. `work` is by operator.
std::variant<ForkJoin, NoForkJoin> outermost_fork_join(const ComputationGraph& graph,
                                                       std::span<const double> work);

}  // namespace pipegraph
