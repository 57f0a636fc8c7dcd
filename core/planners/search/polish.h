// Improves a plan found over an incomplete family: for every two neighbouring stages (in the order
// of the plan's ideals) all ideals inside the pair join the plan's own, and the search runs again.
#pragma once

#include "core/planners/search/optimise.h"

namespace pipegraph {

struct PolishOptions {
  std::size_t ideals_per_pair = 120;  ///< a pair with more is passed over
  std::size_t ideals = 1'500;         ///< in all; later pairs are left to the next round
  int rounds = 6;
};

struct Polished {
  SearchPlan plan;  ///< never worse than the one given
  ProbeCounts counts;
};

/// `limits.incumbent` is ignored.
Polished polish(const SearchProblem& problem, const BatchCosts& costs, SearchPlan plan,
                const SearchLimits& limits = {}, const PolishOptions& options = {});

}  // namespace pipegraph
