// Which operators a stage lists: exact names, and patterns with '*' and '?'.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/errors.h"
#include "core/model/computation_graph.h"

namespace pipegraph {

/// One entry of one list.
struct OperatorPattern {
  std::size_t list = 0;  ///< which of the lists it stands in
  std::string text;
  SourcePosition position;
};

/// The operators of each of `lists` lists, ascending. An exact name beats a pattern. Errors:
/// ConfigError at an entry that names or matches nothing, and at one that names or matches an
/// operator of an earlier entry (an exact name against a pattern aside). Operators that no entry
/// takes are left out.
std::vector<std::vector<OperatorId>> resolve_operators(const ComputationGraph& graph,
                                                       std::span<const OperatorPattern> entries,
                                                       std::size_t lists);

}  // namespace pipegraph
