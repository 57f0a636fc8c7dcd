// Layouts with their plans and what these take, for a search that compares many: ranked by the
// recurrence over stages, the best of them evaluated in full, all within a budget.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

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
};

struct RatingBudget {
  std::size_t evaluations = 300;         ///< full ones
  double instructions = 1'000'000;       ///< of all evaluated programs together, about
  double shared_instructions = 300'000;  ///< of those run on shared links
  double ranked_passes = 10'000'000;     ///< of all ranked layouts together, about
};

/// How many of some layouts are looked at how closely.
struct RatingEffort {
  std::size_t ranked = 100;    ///< by the recurrence, of the best by closed form
  std::size_t evaluated = 10;  ///< in full, of the best ranked
  double too_long = std::numeric_limits<double>::infinity();  ///< seconds of no interest
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
        budget_(budget) {}

  /// A plan of another planner, whatever the budget.
  void add(Plan plan);
  /// Rates the best of those that are new and fit the devices' memory. Where the recurrence does
  /// not hold the closed form alone says which are evaluated.
  void rate(std::vector<Layout> layouts, const RatingEffort& effort);
  /// Rates on shared links, unless that is done or the budget for it is spent.
  void rate_shared(RatedLayout& rated);

  const std::vector<RatedLayout>& all() const { return rated_; }
  std::vector<RatedLayout>& all() { return rated_; }
  std::size_t ranked() const { return ranked_; }  ///< layouts, by the recurrence
  bool exhausted() const { return exhausted_; }   ///< something was not rated for want of budget

 private:
  struct Candidate {
    double seconds = 0.0;  ///< estimated, then ranked
    Layout layout;
  };
  std::vector<Candidate> best_by_estimate(std::vector<Layout> layouts, std::size_t most);
  bool rank(Candidate& candidate);
  double passes(const Layout& layout) const;
  bool affordable(const Layout& layout);
  void rate_one(Layout layout);

  const Workload& workload_;
  const PlannerOptions& options_;
  LayoutEstimate estimate_;
  LayoutTimes times_;
  Placer placer_;
  RatingBudget budget_;
  std::vector<RatedLayout> rated_;
  std::set<std::string> seen_;  ///< keys of layouts that were ranked or evaluated
  std::size_t ranked_ = 0;
  bool exhausted_ = false;
};

}  // namespace pipegraph
