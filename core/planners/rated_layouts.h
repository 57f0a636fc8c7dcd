// Layouts with their plans and what these take, for a search that compares many: ranked by the
// recurrence over stages, the best of them evaluated in full, all within a budget.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/planners/busiest_link.h"
#include "core/planners/equal_devices.h"
#include "core/planners/layout.h"
#include "core/planners/layout_time.h"
#include "core/planners/placement.h"
#include "core/planners/planner.h"

namespace pipegraph {

struct RatedLayout {
  Layout layout;
  Plan plan;
  double seconds = 0.0;                  ///< of an iteration, every transfer alone on its links
  std::optional<double> shared_seconds;  ///< the same on shared links, once asked for
  Bytes memory;                          ///< of the device that needs most
  double busiest_link = 0.0;             ///< seconds of an iteration, about
  bool of_another = false;               ///< another planner's plan
};

struct RatingBudget {
  std::size_t evaluations = 300;         ///< full ones
  double instructions = 1'000'000;       ///< of all evaluated programs together, about
  double shared_instructions = 300'000;  ///< of those run on shared links, if there is a choice
  double most_shared_instructions = 3'000'000;  ///< of those that have to be
  double ranked_passes = 10'000'000;            ///< of all ranked layouts together, about
};

/// A layout that fits the devices' memory by what is known without a program.
struct RankedLayout {
  Layout layout;
  double seconds = 0.0;       ///< by the recurrence; where that does not hold by the closed form
  double busiest_link = 0.0;  ///< seconds; 0 unless asked for
  bool taken = false;         ///< for an evaluation
};

/// Which ranked layouts are evaluated.
struct RatingEffort {
  std::size_t evaluated = 10;
  double too_long = std::numeric_limits<double>::infinity();  ///< seconds of no interest
  /// Shared: the best are those whose time and busiest link are shortest.
  LinkRates links = LinkRates::Own;
};

class RatedLayouts {
 public:
  /// All but `budget` must outlive this.
  RatedLayouts(const Workload& workload, const PlannerOptions& options, const SearchInput& input,
               const RatingBudget& budget)
      : workload_(workload),
        options_(options),
        estimate_(workload, input),
        times_(workload, options, input),
        placer_(workload),
        links_(workload),
        best_first_(best_devices_first(workload)),
        equally_fast_(all_equally_fast(workload)),
        budget_(budget) {}

  /// A plan of another planner, whatever the budget. It fits.
  void add(Plan plan);
  /// One that is not for the workload as it is, likewise.
  void add_own(Plan plan) {
    add(std::move(plan));
    rated_.back().of_another = false;
  }
  /// Those that are new, at most `most` of them by closed form. `links`: whether the busiest link
  /// is of interest.
  std::vector<RankedLayout> rank(std::vector<Layout> layouts, std::size_t most, LinkRates links);
  /// Evaluates the best that were not taken yet, and keeps those that fit.
  void rate(std::vector<RankedLayout>& ranked, const RatingEffort& effort);
  /// Rates on shared links, unless that is done or the budget for it is spent.
  void rate_shared(RatedLayout& rated) { rate_shared(rated, budget_.shared_instructions); }
  /// The same by a budget that only huge programs exceed: of a plan that the choice depends on.
  void rate_shared_surely(RatedLayout& rated) {
    rate_shared(rated, budget_.most_shared_instructions);
  }

  const std::vector<RatedLayout>& all() const { return rated_; }
  std::vector<RatedLayout>& all() { return rated_; }
  std::size_t ranked() const { return ranked_; }  ///< layouts, by the recurrence
  bool exhausted() const { return exhausted_; }   ///< something was not rated for want of budget

 private:
  std::vector<RankedLayout> best_by_estimate(std::vector<Layout> layouts, std::size_t most);
  bool rank_one(RankedLayout& candidate, LinkRates links);
  std::vector<DeviceId> first_devices(const Layout& layout);
  double passes(const Layout& layout) const;
  bool affordable(const Layout& layout);
  bool rate_one(Layout layout);
  void rate_shared(RatedLayout& rated, double& budget);

  const Workload& workload_;
  const PlannerOptions& options_;
  LayoutEstimate estimate_;
  LayoutTimes times_;
  StagePlacer placer_;
  BusiestLink links_;
  std::vector<DeviceId> best_first_;  ///< devices; empty if all are equal
  bool equally_fast_;
  RatingBudget budget_;
  std::vector<RatedLayout> rated_;
  std::set<std::string> seen_;  ///< keys of layouts that were ranked or evaluated
  std::size_t ranked_ = 0;
  bool exhausted_ = false;
};

/// What it takes on shared links at least, about: the busiest link counts rings by replicas.
template <class Rated>
double least_shared(const Rated& rated) {
  return std::max(rated.seconds, rated.busiest_link);
}

}  // namespace pipegraph
