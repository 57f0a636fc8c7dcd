#include "core/planners/pipegraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/final_choice.h"
#include "core/planners/iteration_bound.h"
#include "core/planners/moves.h"
#include "core/planners/part_of_cluster.h"
#include "core/planners/rated_layouts.h"
#include "core/planners/shared_placement.h"
#include "core/planners/variants.h"
#include "core/schedule/table.h"

namespace pipegraph {
namespace {

/// A move has to save this much (relative).
constexpr double k_equal = 1e-9;
/// Candidates, and neighbours of a layout in one round, that are ranked; the best by closed form.
constexpr std::size_t k_most_candidates = 400;
constexpr std::size_t k_most_moves = 64;
/// Of those, how many are evaluated, the shortest first.
constexpr std::size_t k_evaluated_moves = 2;
/// By how much the last placement may make a plan longer with every transfer alone.
constexpr double k_longer_alone = 1.001;
/// Layouts from which local search starts; on shared links.
constexpr std::size_t k_most_starts = 4;
constexpr std::size_t k_most_shared_starts = 2;
/// Moves on shared links are worth while that much (relative) is lost to sharing.
constexpr double k_contended = 0.03;
/// If that much is lost, plans that keep to some of the nodes are worth a search.
constexpr double k_network_bound = 0.1;
constexpr std::size_t k_evaluated_on_some_nodes = 4;

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
    const ScheduleEntry* schedule = find_schedule(options.schedule);
    moves_.extra_in_flight = schedule != nullptr && schedule->in_flight == InFlight::Chosen;
    moves_.k = options.schedule == "kfkb";
    moves_.other_kind = kinds_.size() > 1;
  }

  PlannerResult run() {
    add_plans_of_others();
    std::vector<Layout> candidates = variants(workload_);
    for (const std::vector<DeviceId>& part : better_parts(workload_)) {
      const Workload alone = on_part_of_cluster(workload_, part);
      add_plans_of_others_on(alone, part);
      for (Layout& layout : variants(alone)) candidates.push_back(std::move(layout));
    }
    for (const RatedLayout& rated : rated_.all())
      for (Layout& flipped : other_kinds(rated.layout)) candidates.push_back(std::move(flipped));
    rate_candidates(std::move(candidates));
    if (rated_.all().empty()) return *why_not_;
    improve(LinkRates::Own, k_most_starts);
    FinalChoice choice = choose();
    if (own_.links == LinkRates::Shared && contended(rated_.all()[choice.index], k_contended)) {
      if (contended(rated_.all()[choice.index], k_network_bound)) rate_plans_on_some_nodes();
      improve(LinkRates::Shared, k_most_shared_starts);
      choice = choose();
    }
    report_.notes.insert(report_.notes.end(), choice.notes.begin(), choice.notes.end());
    return plan_of(placed_finally(rated_.all()[choice.index]));
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
    }
  }

  /// Where some devices are slower or have less memory, plans that leave those idle.
  void add_plans_of_others_on(const Workload& alone, const std::vector<DeviceId>& part) {
    if (options_.device_use == DeviceUse::Exactly) return;
    for (PlannerResult& result : plans_of_others(alone, options_, own_.others))
      if (auto* plan = std::get_if<Plan>(&result))
        rated_.add_own(on_whole_cluster(std::move(*plan), workload_, part));
  }

  /// As the search sees one network, it does not know that nodes may be fast inside.
  void rate_plans_on_some_nodes() {
    std::vector<Layout> candidates;
    for (const std::vector<DeviceId>& part : parts_of_nodes(*workload_.topology))
      for (Layout& layout : variants(on_part_of_cluster(workload_, part)))
        candidates.push_back(std::move(layout));
    const std::size_t before = rated_.all().size();
    auto ranked = rated_.rank(std::move(candidates), k_most_candidates, LinkRates::Shared);
    rated_.rate(ranked, {.evaluated = k_evaluated_on_some_nodes, .links = LinkRates::Shared});
    for (std::size_t i = before; i < rated_.all().size(); ++i) rated_.rate_shared(rated_.all()[i]);
  }

  /// For the devices of `workload`, which are ours or the first of them.
  std::vector<Layout> variants(const Workload& workload) {
    const ContractedInput contracted = contracted_input(workload, own_.blocks);
    if (&workload == &workload_)
      for (const std::string& note : contracted.notes)
        report_.notes.push_back(note + " for the variants");
    std::vector<Layout> all;
    for (const PlanKind kind : kinds_) {
      Variants found = search_variants(workload, contracted.input, kind, moves_.micro_batches);
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

  /// The best by time, and where links are shared by that and the busiest link, too.
  void rate_candidates(std::vector<Layout> candidates) {
    auto ranked = rated_.rank(std::move(candidates), k_most_candidates, own_.links);
    rated_.rate(ranked, {.links = LinkRates::Own});
    if (own_.links == LinkRates::Shared) rated_.rate(ranked, {.links = LinkRates::Shared});
  }

  static double measure(const RatedLayout& rated, LinkRates links) {
    const double never = std::numeric_limits<double>::infinity();
    return links == LinkRates::Own ? rated.seconds : rated.shared_seconds.value_or(never);
  }

  /// Whether sharing links keeps `chosen` from what some plan would take without.
  bool contended(const RatedLayout& chosen, double lost) const {
    const auto& all = rated_.all();
    const double alone = std::ranges::min_element(all, {}, &RatedLayout::seconds)->seconds;
    return chosen.shared_seconds && *chosen.shared_seconds > alone * (1 + lost);
  }

  /// From each of the best layouts, move to the best neighbour as long as that helps.
  void improve(LinkRates links, std::size_t most_starts) {
    std::vector<RatedLayout>& all = rated_.all();
    std::ranges::stable_sort(all, {},
                             [&](const RatedLayout& rated) { return measure(rated, links); });
    const std::size_t starts = std::min(most_starts, all.size());
    std::vector<RatedLayout> from(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(starts));
    for (RatedLayout& current : from)
      while (auto next = best_neighbour(current, links)) current = std::move(*next);
  }

  /// Nothing where none is shorter.
  std::optional<RatedLayout> best_neighbour(const RatedLayout& current, LinkRates links) {
    std::vector<RatedLayout>& all = rated_.all();
    const double seconds = measure(current, links);
    const std::size_t before = all.size();
    auto ranked =
        rated_.rank(neighbours(*workload_.graph, current.layout, moves_), k_most_moves, links);
    rated_.rate(ranked, {.evaluated = k_evaluated_moves, .too_long = seconds, .links = links});
    const std::span<RatedLayout> fresh(all.begin() + static_cast<std::ptrdiff_t>(before),
                                       all.end());
    if (links == LinkRates::Shared)
      for (RatedLayout& rated : fresh) rated_.rate_shared(rated);
    const auto next = std::ranges::min_element(
        fresh, {}, [&](const RatedLayout& rated) { return measure(rated, links); });
    if (next == fresh.end() || !(measure(*next, links) < seconds * (1 - k_equal)))
      return std::nullopt;
    return *next;
  }

  FinalChoice choose() {
    return choose_finally(rated_, {.links = own_.links, .memory_slack = own_.memory_slack});
  }

  /// No longer with every transfer alone than any other planner's plan, if it was so before.
  RatedLayout placed_finally(RatedLayout chosen) const {
    if (own_.links == LinkRates::Own) return chosen;
    double longest = chosen.seconds * k_longer_alone;
    for (const RatedLayout& rated : rated_.all())
      if (rated.of_another) longest = std::min(longest, rated.seconds);
    longest = std::max(longest, chosen.seconds);
    RatedPlan placed = placed_for_shared_links(workload_, options_,
                                               {std::move(chosen.plan), chosen.seconds}, longest);
    chosen.plan = std::move(placed.plan);
    chosen.seconds = placed.iteration_time_s;
    return chosen;
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
