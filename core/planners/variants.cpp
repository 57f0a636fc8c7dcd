#include "core/planners/variants.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/planners/search/optimise.h"

namespace pipegraph {
namespace {

/// Smaller than `graphpipe`'s: these searches run a dozen times per micro-batch size.
constexpr FamilyOptions k_family{.complete = 300, .partial = 120};
constexpr int k_most_depths = 6;

class VariantSearch {
 public:
  VariantSearch(const Workload& workload, SearchInput input, PlanKind kind)
      : input_(std::move(input)), times_(workload, input_), kind_(kind) {
    input_.problem.in_flight =
        kind == PlanKind::Graph ? InFlightRule::LongestPath : InFlightRule::Position;
    family_ = choose_family(input_.problem, input_.signature, k_family);
    pairs_.emplace(input_.problem, family_);
    found_.states = family_.ideals.size();
    found_.cuts = pairs_->pairs().size();
  }

  void search(std::int32_t micro_batch) {
    const BatchCosts costs = batch_costs(input_.problem, times_, micro_batch);
    Prober prober(input_.problem, *pairs_, costs);
    double memory = input_.problem.memory;
    for (int halving = 0; halving < 3; ++halving, memory /= 2) {
      if (!search_memory(costs, prober, memory) || memory == unlimited()) break;
    }
    found_.probes += prober.counts().probes;
  }

  Variants take() { return std::move(found_); }

 private:
  static double unlimited() { return std::numeric_limits<double>::infinity(); }

  void add(const SearchPlan& plan) {
    found_.layouts.push_back({.kind = kind_, .stages = stages_of(input_, plan)});
  }

  /// False: nothing fits.
  bool search_memory(const BatchCosts& costs, Prober& prober, double memory) {
    SearchLimits limits;
    limits.memory = memory;
    const SearchOutcome outcome = least_bottleneck(input_.problem, costs, prober, limits);
    if (!outcome.plan) return false;
    add(*outcome.plan);
    for (const double slack : {1e-9, 0.01, 0.03, 0.1})
      add(break_ties(input_.problem, costs, prober, *outcome.plan,
                     {.memory = memory, .slack = slack}));
    const int depth = outcome.plan->depth();
    const int step = std::max(1, (depth - 1) / k_most_depths);
    for (limits.depth = depth - step; limits.depth >= 1; limits.depth -= step) {
      const SearchOutcome shallow = least_bottleneck(input_.problem, costs, prober, limits);
      if (!shallow.plan) break;
      add(*shallow.plan);
    }
    return true;
  }

  SearchInput input_;
  ShareTimes times_;
  PlanKind kind_;
  IdealFamily family_;
  std::optional<PairTable> pairs_;
  Variants found_;
};

}  // namespace

Variants search_variants(const Workload& workload, SearchInput input, PlanKind kind,
                         std::span<const std::int32_t> micro_batches) {
  VariantSearch search(workload, std::move(input), kind);
  for (const std::int32_t size : micro_batches) search.search(size);
  return search.take();
}

}  // namespace pipegraph
