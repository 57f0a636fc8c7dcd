// Plans of least iteration time, fill, drain, messages and all-reduce included: candidates from the
// stage search and from the other planners, then local moves, ranked by the analytic backend, the
// best of them by one in which transfers share links.
#pragma once

#include <cstddef>

#include "core/base/yaml_reader.h"
#include "core/planners/other_planners.h"
#include "core/planners/planner.h"

namespace pipegraph {

struct PipegraphOptions {
  std::size_t evaluations = 300;    ///< full ones of candidates and moves, at most
  double instructions = 1'000'000;  ///< of all evaluated programs together, about
  std::size_t blocks = 64;  ///< larger graphs are contracted to about that many for variants
  LinkRates links = LinkRates::Shared;  ///< what the final choice goes by
  double memory_slack = 0.01;  ///< of plans this much slower than the best, the leanest is taken
  OtherPlannersOptions others;
};

/// Never worse than any planner but `exhaustive`, with their options at their defaults and the same
/// common ones: on shared links, unless a program is too large to be run there, or, with links of
/// their own, in analytic iteration time. Its objective is "iteration_time_s". A graph unless
/// `options.kind` is sequential; a graph planner may still return a chain where that is faster.
PlannerResult plan_pipegraph(const Workload& workload, const PlannerOptions& options,
                             const PipegraphOptions& own);

/// Keys `evaluations`, `blocks`, `links: own|shared`, `memory_slack`.
Planner configure_pipegraph(MapReader& options);

}  // namespace pipegraph
