// Layouts with their plans and what these take, for a search that compares many: every layout is
// rated once, and all ratings together stay within a budget.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/planners/layout.h"
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
  std::size_t evaluations = 300;
  double instructions = 1'000'000;       ///< of all evaluated programs together, about
  double shared_instructions = 300'000;  ///< of those run on shared links
};

class RatedLayouts {
 public:
  /// All but `budget` must outlive this.
  RatedLayouts(const Workload& workload, const PlannerOptions& options, LayoutEstimate& estimate,
               const RatingBudget& budget)
      : workload_(workload), options_(options), estimate_(estimate), budget_(budget) {}

  /// A plan of another planner, whatever the budget.
  void add(Plan plan);
  /// Rates those of the `most` best by estimate that are new and fit the devices' memory.
  void rate(std::vector<Layout> layouts, std::size_t most);
  /// Rates on shared links, unless that is done or the budget for it is spent.
  void rate_shared(RatedLayout& rated);

  const std::vector<RatedLayout>& all() const { return rated_; }
  std::vector<RatedLayout>& all() { return rated_; }
  bool exhausted() const { return exhausted_; }  ///< something was not rated for want of budget

 private:
  double instructions(const Layout& layout) const;
  bool affordable(const Layout& layout);
  void rate_one(Layout layout);

  const Workload& workload_;
  const PlannerOptions& options_;
  LayoutEstimate& estimate_;
  RatingBudget budget_;
  std::vector<RatedLayout> rated_;
  std::set<std::string> seen_;
  bool exhausted_ = false;
};

}  // namespace pipegraph
