// The loop all planners share: propose stages once per candidate micro-batch size, place them,
// evaluate them, keep the best that fits.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/planners/planner.h"

namespace pipegraph {

/// What a planner proposes at one micro-batch size.
struct Proposal {
  std::vector<Stage> stages;  ///< `devices` are places 0, 1, ... without gaps, mapped by placement
  Objective objective;
  SearchReport search;
  std::vector<DeviceId> first_devices{};  ///< by place; empty: place i is first on device i
};

/// What a proposal has to leave free: more than nothing when an earlier one at that size did not
/// fit, because a search knows memory by a bound only.
struct LeftFree {
  Bytes memory{};   ///< of every device
  int devices = 0;  ///< of those there are

  bool nothing() const { return memory == Bytes{} && devices == 0; }
};

/// A planner that cannot use less returns the same again, or Infeasible.
using Propose = std::function<std::variant<Proposal, Infeasible>(std::int32_t micro_batch,
                                                                 const LeftFree& left_free)>;

/// The candidates of `options`, clipped to the mini-batch, ascending, without duplicates; where it
/// gives none, the powers of two that make at most 16 384 micro-batches, and the mini-batch.
std::vector<std::int32_t> micro_batch_candidates(const PlannerOptions& options,
                                                 std::int32_t mini_batch);

/// The proposal with the common options, placed on devices; planner's name left to the caller.
Plan to_plan(const Workload& workload, const PlannerOptions& options, Proposal proposal);

/// A plan that fits, and its analytic iteration time.
struct RatedPlan {
  Plan plan;
  double iteration_time_s = 0.0;
};

/// Seconds that an iteration takes at least: what the busiest replica of any stage computes in
/// whole micro-batches; 0 where devices differ.
double compute_bound(const Workload& workload, const Proposal& proposal);

/// As best_proposal, with the plan's time.
std::variant<RatedPlan, Infeasible> best_rated_proposal(const Workload& workload,
                                                        const PlannerOptions& options,
                                                        std::string_view planner,
                                                        const Propose& propose);

/// The proposal of least analytic iteration time, or of least objective, among those that fit; of
/// equals the smallest micro-batch. Infeasible with the reason at the smallest micro-batch if none.
PlannerResult best_proposal(const Workload& workload, const PlannerOptions& options,
                            std::string_view planner, const Propose& propose);

}  // namespace pipegraph
