#include "core/planners/pipegraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/planners/balanced.h"
#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/graphpipe.h"
#include "core/planners/layout.h"
#include "core/planners/moves.h"
#include "core/planners/variants.h"

namespace pipegraph {
namespace {

/// Two iteration times closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;
/// Neighbours of a layout that are evaluated in one round, best estimates first.
constexpr std::size_t k_most_moves = 24;
/// Layouts from which local search starts.
constexpr std::size_t k_most_starts = 4;

struct RatedLayout {
  Layout layout;
  Plan plan;
  double seconds = 0.0;
};

class PipegraphSearch {
 public:
  PipegraphSearch(const Workload& workload, const PlannerOptions& options,
                  const PipegraphOptions& own)
      : workload_(workload),
        options_(options),
        own_(own),
        input_(search_input(workload)),
        estimate_(workload, input_) {
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
    for (const RatedLayout& rated : std::vector(rated_))
      for (Layout& flipped : other_kinds(rated.layout)) candidates.push_back(std::move(flipped));
    rate(std::move(candidates), own_.evaluations / 2);
    if (rated_.empty()) return *why_not_;
    improve();
    return best();
  }

 private:
  /// Their plans as they are, so that the result is never worse.
  void add_plans_of_others() {
    for (const PlanKind kind : kinds_) {
      PlannerOptions options = options_;
      options.kind = kind;
      add_plan(plan_graphpipe(workload_, options, {}));
      add_plan(plan_balanced(workload_, options));
    }
  }

  void add_plan(PlannerResult result) {
    if (auto* no = std::get_if<Infeasible>(&result)) {
      if (!why_not_) why_not_ = std::move(*no);
      return;
    }
    Plan& plan = std::get<Plan>(result);
    if (plan.search) report_.probes += plan.search->probes;
    RatedLayout rated;
    rated.layout = {plan.kind, plan.extra_in_flight, plan.stages};
    number_places(rated.layout);
    rated.seconds = evaluate(workload_, plan, options_.evaluation).iteration_time.count();
    rated.plan = std::move(plan);
    seen_.insert(key_of(rated.layout));
    rated_.push_back(std::move(rated));
  }

  std::vector<Layout> variants() {
    SearchInput input = input_;
    if (input.blocks.size() > own_.blocks) {
      input = search_input(workload_, contracted_blocks(workload_, input, own_.blocks));
      report_.notes.push_back(fmt::format("{} operators contracted to {} blocks for the variants",
                                          workload_.graph->size(), input.blocks.size()));
    }
    std::vector<Layout> all;
    for (const PlanKind kind : kinds_) {
      Variants found = search_variants(workload_, input, kind, moves_.micro_batches);
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

  /// Evaluates the best `most` by estimate that are new. Returns whether one beat all before.
  bool rate(std::vector<Layout> layouts, std::size_t most) {
    std::vector<std::pair<double, Layout>> fresh;
    for (Layout& layout : layouts)
      if (seen_.insert(key_of(layout)).second)
        fresh.emplace_back(estimate_.seconds(layout), std::move(layout));
    std::ranges::stable_sort(fresh, {}, [](const auto& item) { return item.first; });
    if (fresh.size() > most) fresh.resize(most);
    bool better = false;
    for (auto& [seconds, layout] : fresh)
      if (affordable(layout)) better = rate_one(std::move(layout)) || better;
    return better;
  }

  bool affordable(const Layout& layout) {
    double instructions = 0.0;  // two passes, two messages each way, by share
    for (const Stage& stage : layout.stages)
      instructions += 6.0 * static_cast<double>(stage.devices.size()) *
                      ((workload_.training.mini_batch - 1) / stage.micro_batch + 1);
    if (evaluations_ >= own_.evaluations || instructions_ + instructions > own_.instructions) {
      report_.truncated = true;
      return false;
    }
    ++evaluations_;
    instructions_ += instructions;
    return true;
  }

  bool rate_one(Layout layout) {
    PlannerOptions options = options_;
    options.kind = layout.kind;
    options.extra_in_flight = layout.extra_in_flight;
    for (std::size_t s = 0; s < layout.stages.size(); ++s)
      layout.stages[s].name = fmt::format("s{}", s);
    Plan plan = to_plan(workload_, options, {.stages = layout.stages});
    if (options_.device_use == DeviceUse::Exactly && !plan.unused_devices.empty()) return false;
    const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
    if (!evaluation.ok()) return false;
    const double seconds = evaluation.iteration_time.count();
    const bool better = rated_.empty() || seconds < best_seconds() * (1 - k_equal);
    rated_.push_back({std::move(layout), std::move(plan), seconds});
    return better;
  }

  double best_seconds() const {
    return std::ranges::min_element(rated_, {}, &RatedLayout::seconds)->seconds;
  }

  /// From each of the best layouts, move to the best neighbour as long as that helps.
  void improve() {
    std::ranges::stable_sort(rated_, {}, &RatedLayout::seconds);
    const std::size_t starts = std::min(k_most_starts, rated_.size());
    std::vector<RatedLayout> from(rated_.begin(),
                                  rated_.begin() + static_cast<std::ptrdiff_t>(starts));
    for (RatedLayout& current : from)
      for (;;) {
        const std::size_t before = rated_.size();
        rate(neighbours(*workload_.graph, current.layout, moves_), k_most_moves);
        const auto next =
            std::ranges::min_element(rated_.begin() + static_cast<std::ptrdiff_t>(before),
                                     rated_.end(), {}, &RatedLayout::seconds);
        if (next == rated_.end() || !(next->seconds < current.seconds * (1 - k_equal))) break;
        current = *next;
      }
  }

  Plan best() {
    RatedLayout& chosen = *std::ranges::min_element(rated_, {}, &RatedLayout::seconds);
    Plan plan = std::move(chosen.plan);
    if (plan.search && !plan.search->notes.empty())
      report_.notes.insert(report_.notes.end(), plan.search->notes.begin(),
                           plan.search->notes.end());
    plan.name = options_.name;
    plan.planner = "pipegraph";
    plan.objective = {"iteration_time_s", chosen.seconds};
    report_.family = fmt::format("variants and moves, {} plans evaluated", rated_.size());
    plan.search = report_;
    return plan;
  }

  const Workload& workload_;
  const PlannerOptions& options_;
  const PipegraphOptions& own_;
  SearchInput input_;
  LayoutEstimate estimate_;
  MoveOptions moves_;
  std::vector<PlanKind> kinds_;
  std::vector<RatedLayout> rated_;
  std::set<std::string> seen_;
  std::optional<Infeasible> why_not_;
  SearchReport report_;
  std::size_t evaluations_ = 0;
  double instructions_ = 0.0;
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
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_pipegraph(workload, common, own);
  };
}

}  // namespace pipegraph
