// Least bottleneck over a family of ideals at one micro-batch size: bisection on the target from
// the plan's own value, with probes just below it that prove optimality.
#pragma once

#include <optional>

#include "core/planners/search/probe.h"

namespace pipegraph {

struct SearchLimits {
  double memory = std::numeric_limits<double>::infinity();
  int depth = std::numeric_limits<int>::max();
  /// A plan must be better than this (seconds per sample) to be of interest.
  double incumbent = std::numeric_limits<double>::infinity();
};

struct SearchOutcome {
  std::optional<SearchPlan>
      plan;  ///< least max_time_per_sample; nothing: none fits or beats the incumbent
  double lower_bound = 0.0;  ///< seconds per sample, of the family
  bool exact = false;  ///< the plan is proved optimal in the family (1e-9), or that none exists
};

/// Bound on the bottleneck of any plan at this micro-batch size: work over all devices at the best
/// share, and the largest block. Holds whatever the family.
double bottleneck_lower_bound(const SearchProblem& problem, const BatchCosts& costs);

/// Least bottleneck; among plans of equal bottleneck (1e-9) not distinguished.
SearchOutcome least_bottleneck(const SearchProblem& problem, const BatchCosts& costs,
                               Prober& prober, const SearchLimits& limits = {});

/// Among which plans ties are broken.
struct TieLimits {
  double memory = std::numeric_limits<double>::infinity();  ///< bytes; the problem's if smaller
  double slack = 1e-9;  ///< how much (relative) of the bottleneck may be given up
};

/// Lowers depth, then the largest memory of a device.
SearchPlan break_ties(const SearchProblem& problem, const BatchCosts& costs, Prober& prober,
                      SearchPlan plan, const TieLimits& limits = {});

/// Gives devices that no stage uses to the slowest stage while that helps.
void use_spare_devices(const SearchProblem& problem, const BatchCosts& costs, SearchPlan& plan);

}  // namespace pipegraph
