// The straightforward programme for chains of stages: a table over (stages, ideal, devices). Over
// the prefixes of an order it is the textbook chain programme, over all ideals the downset
// programme. Obviously right and slow: an oracle for the searches, and what they are measured
// against.
#pragma once

#include <optional>

#include "core/planners/search/pairs.h"

namespace pipegraph::bench {

/// Least max_time_per_sample of all chains over the family of `pairs` (stages in flight by
/// position, the search's common cost), or nothing. Time: stages x pairs x devices squared.
std::optional<double> table_bottleneck(const SearchProblem& problem, const PairTable& pairs,
                                       const BatchCosts& costs);

}  // namespace pipegraph::bench
