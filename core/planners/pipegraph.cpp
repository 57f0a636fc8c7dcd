#include "core/planners/pipegraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/iteration_bound.h"
#include "core/planners/moves.h"
#include "core/planners/rated_layouts.h"
#include "core/planners/variants.h"

namespace pipegraph {
namespace {

/// Two iteration times closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;
/// Candidates, and neighbours of a layout in one round, that are ranked; the best by closed form.
constexpr std::size_t k_most_candidates = 400;
constexpr std::size_t k_most_moves = 64;
/// Of those, how many are evaluated, the shortest first.
constexpr std::size_t k_evaluated_moves = 2;
/// Layouts from which local search starts.
constexpr std::size_t k_most_starts = 4;
/// Shortest plans, and leanest ones, that are compared on shared links.
constexpr std::size_t k_most_shared = 8;

class PipegraphSearch {
 public:
  PipegraphSearch(const Workload& workload, const PlannerOptions& options,
                  const PipegraphOptions& own)
      : workload_(workload),
        options_(options),
        own_(own),
        input_(search_input(workload)),
        rated_(workload, options, input_, {own.evaluations, own.instructions}) {
    kinds_ = {options.kind};
    if (options.kind == PlanKind::Graph) kinds_.push_back(PlanKind::Sequential);
    moves_.devices = workload.topology->size();
    moves_.micro_batches = micro_batch_candidates(options, workload.training.mini_batch);
    moves_.extra_in_flight = options.schedule == "1f1b" || options.schedule == "zb1p";
    moves_.other_kind = kinds_.size() > 1;
  }

  PlannerResult run() {
    add_plans_of_others();
    std::vector<Layout> candidates = variants();
    for (const RatedLayout& rated : rated_.all())
      for (Layout& flipped : other_kinds(rated.layout)) candidates.push_back(std::move(flipped));
    rated_.rate(std::move(candidates), {.ranked = k_most_candidates});
    if (rated_.all().empty()) return *why_not_;
    improve();
    return plan_of(choose());
  }

 private:
  void add_plans_of_others() {
    for (PlannerResult& result : plans_of_others(workload_, options_, own_.others)) {
      if (auto* no = std::get_if<Infeasible>(&result)) {
        if (!why_not_) why_not_ = std::move(*no);
        continue;
      }
      Plan& plan = std::get<Plan>(result);
      if (plan.search) report_.probes += plan.search->probes;
      rated_.add(std::move(plan));
      best_of_others_ = std::min(best_of_others_, rated_.all().back().seconds);
    }
  }

  std::vector<Layout> variants() {
    const ContractedInput contracted = contracted_input(workload_, own_.blocks);
    for (const std::string& note : contracted.notes)
      report_.notes.push_back(note + " for the variants");
    std::vector<Layout> all;
    for (const PlanKind kind : kinds_) {
      Variants found = search_variants(workload_, contracted.input, kind, moves_.micro_batches);
      report_.states += found.states;
      report_.cuts += found.cuts;
      report_.probes += found.probes;
      for (Layout& layout : found.layouts) {
        for (Layout& flipped : other_kinds(layout)) all.push_back(std::move(flipped));
        all.push_back(std::move(layout));
      }
    }
    for (Layout& layout : all) layout.extra_in_flight = options_.extra_in_flight;
    return all;
  }

  std::vector<Layout> other_kinds(const Layout& layout) const {
    if (!moves_.other_kind) return {};
    Layout other = layout;
    if (other.kind == PlanKind::Graph) sort_stages(*workload_.graph, other);
    other.kind = other.kind == PlanKind::Graph ? PlanKind::Sequential : PlanKind::Graph;
    number_places(other);
    return {std::move(other)};
  }

  /// From each of the best layouts, move to the best neighbour as long as that helps.
  void improve() {
    std::vector<RatedLayout>& all = rated_.all();
    std::ranges::stable_sort(all, {}, &RatedLayout::seconds);
    const std::size_t starts = std::min(k_most_starts, all.size());
    std::vector<RatedLayout> from(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(starts));
    for (RatedLayout& current : from)
      for (;;) {
        const std::size_t before = all.size();
        rated_.rate(
            neighbours(*workload_.graph, current.layout, moves_),
            {.ranked = k_most_moves, .evaluated = k_evaluated_moves, .too_long = current.seconds});
        const auto next =
            std::ranges::min_element(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                                     {}, &RatedLayout::seconds);
        if (next == all.end() || !(next->seconds < current.seconds * (1 - k_equal))) break;
        current = *next;
      }
  }

  double final_seconds(const RatedLayout& rated) const {
    if (own_.links == LinkRates::Own) return rated.seconds;
    return rated.shared_seconds.value_or(std::numeric_limits<double>::infinity());
  }

  /// Of the plans that are not worse than any other planner's, the fastest by the final measure, or
  /// one nearly as fast that needs less memory.
  RatedLayout& choose() {
    std::vector<RatedLayout>& all = rated_.all();
    std::ranges::stable_sort(all, {}, &RatedLayout::seconds);
    const auto end = std::ranges::find_if(all, [&](const RatedLayout& rated) {
      return rated.seconds > best_of_others_ * (1 + k_equal);
    });
    const std::span<RatedLayout> eligible(all.begin(), end);
    if (own_.links == LinkRates::Shared) share_links(eligible);
    const auto seconds = [&](const RatedLayout& rated) { return final_seconds(rated); };
    const double best = seconds(*std::ranges::min_element(eligible, {}, seconds));
    RatedLayout* chosen = nullptr;
    for (RatedLayout& rated : eligible) {
      if (seconds(rated) > best * (1 + own_.memory_slack)) continue;
      if (chosen == nullptr || rated.memory < chosen->memory ||
          (rated.memory == chosen->memory && seconds(rated) < seconds(*chosen)))
        chosen = &rated;
    }
    return *chosen;
  }

  /// The shortest ones on shared links, and the leanest of those that are nearly as short; where
  /// the budget is spent, at least the first. `eligible` is sorted by time.
  void share_links(std::span<RatedLayout> eligible) {
    std::vector<RatedLayout*> lean;
    for (RatedLayout& rated : eligible)
      if (rated.seconds <= eligible.front().seconds * (1 + own_.memory_slack))
        lean.push_back(&rated);
    std::ranges::stable_sort(lean, {}, [](const RatedLayout* rated) { return rated->memory; });
    for (std::size_t i = 0; i < k_most_shared; ++i) {
      if (i < eligible.size()) rated_.rate_shared(eligible[i]);
      if (i < lean.size()) rated_.rate_shared(*lean[i]);
    }
    if (!eligible.front().shared_seconds)
      eligible.front().shared_seconds = eligible.front().seconds;
  }

  Plan plan_of(const RatedLayout& chosen) {
    Plan plan = chosen.plan;
    if (plan.search)
      report_.notes.insert(report_.notes.end(), plan.search->notes.begin(),
                           plan.search->notes.end());
    plan.name = options_.name;
    plan.planner = "pipegraph";
    plan.objective = {"iteration_time_s", chosen.seconds};
    report_.family =
        fmt::format("other planners, variants and moves: {} plans", rated_.all().size());
    report_.truncated = rated_.exhausted();
    if (const auto bound = iteration_lower_bound(workload_, input_)) {
      report_.lower_bound_s = std::min(bound->count(), chosen.seconds);
      if (*report_.lower_bound_s > 0.0) report_.gap = chosen.seconds / *report_.lower_bound_s - 1.0;
    }
    plan.search = report_;
    return plan;
  }

  const Workload& workload_;
  const PlannerOptions& options_;
  const PipegraphOptions& own_;
  SearchInput input_;
  RatedLayouts rated_;
  MoveOptions moves_;
  std::vector<PlanKind> kinds_;
  double best_of_others_ = std::numeric_limits<double>::infinity();
  std::optional<Infeasible> why_not_;
  SearchReport report_;
};

}  // namespace

PlannerResult plan_pipegraph(const Workload& workload, const PlannerOptions& options,
                             const PipegraphOptions& own) {
  return PipegraphSearch(workload, options, own).run();
}

Planner configure_pipegraph(MapReader& options) {
  PipegraphOptions own;
  if (const auto value = options.optional("evaluations"))
    own.evaluations = static_cast<std::size_t>(value->as_integer(0, 1'000'000));
  if (const auto value = options.optional("blocks"))
    own.blocks = static_cast<std::size_t>(value->as_integer(1, 10'000));
  if (const auto value = options.optional("links"))
    own.links =
        static_cast<LinkRates>(value->as_choice(std::array<std::string, 2>{"own", "shared"}));
  if (const auto value = options.optional("memory_slack")) {
    own.memory_slack = value->as_double();
    if (own.memory_slack < 0.0 || own.memory_slack > 1.0)
      value->fail("out of range", "a number from 0 to 1");
  }
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_pipegraph(workload, common, own);
  };
}

}  // namespace pipegraph
