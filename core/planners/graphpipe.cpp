#include "core/planners/graphpipe.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/search/family.h"
#include "core/planners/search/optimise.h"
#include "core/planners/search/polish.h"
#include "core/planners/search_input.h"

namespace pipegraph {
namespace {

/// Two bottlenecks closer than this (relative) count as equal.
constexpr double k_equal = 2e-9;

/// The search over one workload, for every micro-batch size in turn.
class GraphpipeSearch {
 public:
  GraphpipeSearch(const Workload& workload, const PlannerOptions& options,
                  const GraphpipeOptions& own)
      : workload_(workload), input_(make_input(own)) {
    input_.problem.communication = own.communication;
    input_.problem.in_flight =
        options.kind == PlanKind::Graph ? InFlightRule::LongestPath : InFlightRule::Position;
    family_ = choose_family(input_.problem, input_.signature, own.family);
    pairs_.emplace(input_.problem, family_);
    report_.family = family_.name;
    report_.states = family_.ideals.size();
    report_.cuts = pairs_->pairs().size();
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, Bytes withheld) {
    const BatchCosts costs = batch_costs(workload_, input_, micro_batch);
    Prober prober(input_.problem, *pairs_, costs);
    SearchLimits limits;
    limits.memory = input_.problem.memory - withheld.as_double();
    SearchOutcome outcome = least_bottleneck(input_.problem, costs, prober, limits);
    if (outcome.plan && !family_.complete) polish_plan(costs, limits, outcome);
    if (outcome.plan)
      outcome.plan = break_ties(input_.problem, costs, prober, std::move(*outcome.plan));
    report_.probes += prober.counts().probes;
    if (withheld == Bytes{})  // a bound for all plans that fit; with less memory it would not be
      bound_ = proves() ? outcome.lower_bound : bottleneck_lower_bound(input_.problem, costs);
    if (!outcome.plan) return Infeasible{reason(costs, withheld)};
    return proposal(outcome);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    return result;
  }

 private:
  SearchInput make_input(const GraphpipeOptions& own) {
    SearchInput fine = search_input(workload_);
    if (fine.blocks.size() <= own.blocks) return fine;
    auto blocks = contracted_blocks(workload_, fine, own.blocks);
    report_.notes.push_back(fmt::format("{} operators contracted to {} blocks",
                                        workload_.graph->size(), blocks.size()));
    return search_input(workload_, std::move(blocks));
  }

  void polish_plan(const BatchCosts& costs, const SearchLimits& limits, SearchOutcome& outcome) {
    Polished polished = polish(input_.problem, costs, std::move(*outcome.plan), limits);
    report_.probes += polished.counts.probes;
    outcome.plan = std::move(polished.plan);
  }

  /// Whether the family can express every plan of the graph.
  bool proves() const { return family_.complete && report_.notes.empty(); }

  Proposal proposal(const SearchOutcome& outcome) {
    const double value = outcome.plan->max_time_per_sample;
    Proposal result;
    result.stages = stages_of(input_, *outcome.plan);
    result.objective = {"max_time_per_sample_s", value};
    result.search = report_;
    result.search.lower_bound_s = std::min(bound_, value);
    result.search.exact = proves() && value <= bound_ * (1.0 + k_equal);
    result.search.truncated = !outcome.exact;
    if (bound_ > 0.0) result.search.gap = value / *result.search.lower_bound_s - 1.0;
    return result;
  }

  /// The block that needs most memory alone on as many devices as a stage may have.
  std::string reason(const BatchCosts& costs, Bytes withheld) const {
    const SearchProblem& problem = input_.problem;
    std::size_t worst = 0;
    double most = -1.0;
    for (std::size_t block = 0; block < problem.blocks(); ++block) {
      const double needed =
          memory_needed(problem, costs, {static_cast<Digraph::Node>(block)}, costs.max_devices, 1);
      if (needed > most) std::tie(worst, most) = std::pair(block, needed);
    }
    const double limit = problem.memory - withheld.as_double();
    if (most > limit)
      return fmt::format("stage with '{}' needs {} on {}, limit {}",
                         workload_.graph->at(input_.blocks[worst].front()).name,
                         to_text(Bytes{static_cast<std::uint64_t>(most)}),
                         costs.max_devices == 1
                             ? "one device"
                             : fmt::format("each of {} devices", costs.max_devices),
                         to_text(Bytes{static_cast<std::uint64_t>(std::max(limit, 0.0))}));
    return fmt::format("no cut into stages for {} devices fits {} per device", problem.devices,
                       to_text(Bytes{static_cast<std::uint64_t>(std::max(limit, 0.0))}));
  }

  const Workload& workload_;
  SearchReport report_;
  SearchInput input_;
  IdealFamily family_;
  std::optional<PairTable> pairs_;
  double bound_ = 0.0;  ///< on the objective at the present micro-batch size
};

}  // namespace

PlannerResult plan_graphpipe(const Workload& workload, const PlannerOptions& options,
                             const GraphpipeOptions& own) {
  GraphpipeSearch search(workload, options, own);
  PlannerResult result =
      best_proposal(workload, options, "graphpipe", [&](std::int32_t micro_batch, Bytes withheld) {
        return search.propose(micro_batch, withheld);
      });
  if (auto* plan = std::get_if<Plan>(&result)) plan->search = search.report(*plan->search);
  return result;
}

Planner configure_graphpipe(MapReader& options) {
  GraphpipeOptions own;
  if (const auto value = options.optional("communication"))
    own.communication = static_cast<CommunicationRule>(
        value->as_choice(std::array<std::string, 2>{"sum", "overlap"}));
  if (const auto value = options.optional("ideals"))
    own.family.complete = own.family.partial =
        static_cast<std::size_t>(value->as_integer(2, 20'000));
  if (const auto value = options.optional("blocks"))
    own.blocks = static_cast<std::size_t>(value->as_integer(1, 10'000));
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_graphpipe(workload, common, own);
  };
}

}  // namespace pipegraph
