// The chain whose micro-batches pass soonest, fill and drain included (Zheng et al., Alpa, OSDI
// 2022): least sum of the stages' times plus (M - 1) times the largest, by a sweep of the largest.
#pragma once

#include <cstdint>
#include <optional>

#include "core/planners/search/pair_costs.h"

namespace pipegraph {

struct LatencyOutcome {
  std::optional<SearchPlan> plan;
  double latency = 0.0;      ///< of the plan: seconds per mini-batch
  double lower_bound = 0.0;  ///< over the family; no further below the latency than `step`
  std::uint64_t sweeps = 0;  ///< largest times tried
};

struct LatencyOptions {
  double step = 0.0;  ///< largest times closer than this (relative) are tried once: an answer may
                      ///< be worse than the least by as much
};

/// Stages looked at in one sweep, at most: pairs x devices of a stage x devices below it.
double steps_of_sweep(const SearchProblem& problem, const PairTable& pairs,
                      const BatchCosts& costs);

/// Over chains of the family of `pairs`; stages in flight by position. `problem` must say so.
LatencyOutcome least_latency(const SearchProblem& problem, const PairTable& pairs,
                             const BatchCosts& costs, const LatencyOptions& options = {});

}  // namespace pipegraph
