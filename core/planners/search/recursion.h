// GraphPipe's own search (arXiv 2406.17145, section 5) as a baseline: a binary search on the
// largest time per sample around a recursion on the series-parallel tree. A part is one stage, or
// two parts in series, or parts side by side; of the ways to reach the target with so many devices,
// the one with the fewest samples in flight at the part's source.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/series_parallel.h"
#include "core/planners/search/problem.h"

namespace pipegraph {

/// Which stages an operator that joins or forks branches may belong to.
enum class Joins : std::uint8_t {
  Own,         ///< one without operators of the branches, or with all of all
  WithBranch,  ///< or one with the end (for a fork: the beginning) of one of the branches
};

struct RecursionOptions {
  Joins joins = Joins::Own;
  std::vector<int> device_counts;  ///< of a stage, ascending
  double tolerance = 1e-6;         ///< of the binary search, relative
};

struct RecursionOutcome {
  std::optional<SearchPlan> plan;  ///< of least bottleneck, within the tolerance, by these rules
  std::uint64_t probes = 0;
  std::uint64_t stages = 0;  ///< candidates
};

/// `tree` is the decomposition of the problem's graph; in flight is the longest path to a sink.
RecursionOutcome search_by_recursion(const SearchProblem& problem, const BatchCosts& costs,
                                     const SeriesParallelTree& tree,
                                     const RecursionOptions& options);

}  // namespace pipegraph
