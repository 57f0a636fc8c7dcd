#include "core/planners/graphpipe.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/best_of_search.h"
#include "core/planners/bottleneck_bound.h"
#include "core/planners/contraction.h"
#include "core/planners/mixed_batches.h"
#include "core/planners/no_fit.h"
#include "core/planners/search/family.h"
#include "core/planners/search/optimise.h"
#include "core/planners/search/polish.h"
#include "core/planners/search_input.h"
#include "core/planners/series_parallel_input.h"

namespace pipegraph {
namespace {

/// Two bottlenecks closer than this (relative) count as equal.
constexpr double k_equal = 2e-9;

/// The search over one workload, for every micro-batch size in turn.
class GraphpipeSearch {
 public:
  GraphpipeSearch(const Workload& workload, const PlannerOptions& options,
                  const GraphpipeOptions& own)
      : workload_(workload),
        own_(own),
        input_(make_input()),
        devices_(input_.problem.devices),
        times_(workload, input_) {
    input_.problem.communication = own.communication;
    input_.problem.device_counts = own.device_counts;
    input_.problem.in_flight =
        options.kind == PlanKind::Graph ? InFlightRule::LongestPath : InFlightRule::Position;
    if (own.search == GraphpipeSearchMethod::Paper) {
      report_.family = own.joins == Joins::Own ? "series and parallel parts"
                                               : "series and parallel parts, joins with a branch";
      return;
    }
    family_ = choose_family(input_.problem, input_.signature, own.family);
    pairs_.emplace(input_.problem, family_);
    report_.family = family_.name;
    report_.states = family_.ideals.size();
    report_.cuts = pairs_->pairs().size();
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, const LeftFree& left_free) {
    input_.problem.devices = devices_ - left_free.devices;
    const BatchCosts costs = batch_costs(input_.problem, times_, micro_batch);
    if (own_.search == GraphpipeSearchMethod::Paper) return propose_by_recursion(costs, left_free);
    Prober prober(input_.problem, *pairs_, costs);
    SearchLimits limits;
    limits.memory = input_.problem.memory - left_free.memory.as_double();
    SearchOutcome outcome = least_bottleneck(input_.problem, costs, prober, limits);
    if (outcome.plan && !family_.complete) polish_plan(costs, limits, outcome);
    if (outcome.plan)
      outcome.plan = break_ties(input_.problem, costs, prober, std::move(*outcome.plan),
                                {.memory = limits.memory});
    report_.probes += prober.counts().probes;
    if (left_free.nothing())  // a bound for all plans that fit; with less it would not be
      bounds_[micro_batch] = proves() ? outcome.lower_bound : bound_of_any_plan(costs);
    if (!outcome.plan) return Infeasible{reason(costs, left_free)};
    return proposal(outcome);
  }

  /// On how many devices micro-batches of that size would fit; the recursion does not tell.
  std::string fewest_devices_at(std::int32_t micro_batch) const {
    if (!pairs_) return {};
    return fewest_devices_text(workload_, input_, *pairs_, micro_batch);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    return result;
  }

 private:
  SearchInput make_input() {
    if (own_.search == GraphpipeSearchMethod::Paper) {
      SeriesParallelInput made = series_parallel_input(workload_, search_input(workload_));
      tree_ = std::move(made.tree);
      report_.notes = std::move(made.notes);
      return std::move(made.input);
    }
    ContractedInput contracted = contracted_input(workload_, own_.blocks);
    report_.notes = std::move(contracted.notes);
    return std::move(contracted.input);
  }

  std::variant<Proposal, Infeasible> propose_by_recursion(const BatchCosts& costs,
                                                          const LeftFree& left_free) {
    SearchProblem problem = input_.problem;
    problem.memory -= left_free.memory.as_double();
    RecursionOptions options{.joins = own_.joins, .device_counts = {}};
    for (int count = 1; count <= problem.devices; count = problem.allowed_devices(count + 1))
      options.device_counts.push_back(count);
    RecursionOutcome found = search_by_recursion(problem, costs, tree_, options);
    report_.probes += found.probes;
    report_.cuts = found.stages;
    if (left_free.nothing()) bounds_[costs.micro_batch] = bound_of_any_plan(costs);
    if (!found.plan) return Infeasible{reason(costs, left_free)};
    return proposal({.plan = std::move(found.plan), .exact = true});
  }

  void polish_plan(const BatchCosts& costs, const SearchLimits& limits, SearchOutcome& outcome) {
    Polished polished = polish(input_.problem, costs, std::move(*outcome.plan), limits);
    report_.probes += polished.counts.probes;
    outcome.plan = std::move(polished.plan);
  }

  /// Of single operators, whatever the blocks: those may be cut elsewhere.
  double bound_of_any_plan(const BatchCosts& costs) {
    if (input_.blocks.size() == workload_.graph->size())
      return bottleneck_lower_bound(input_.problem, costs);
    if (!any_plan_) any_plan_.emplace(workload_);
    return any_plan_->at(costs.micro_batch);
  }

  /// Whether the family can express every plan of the graph.
  bool proves() const { return family_.complete && report_.notes.empty(); }

  Proposal proposal(const SearchOutcome& outcome) {
    const double value = outcome.plan->max_time_per_sample;
    const double bound = bounds_.at(outcome.plan->micro_batch);
    Proposal result;
    result.stages = stages_of(input_, *outcome.plan);
    result.objective = {"max_time_per_sample_s", value};
    result.search = report_;
    result.search.lower_bound_s = std::min(bound, value);
    result.search.exact = proves() && value <= bound * (1.0 + k_equal);
    result.search.truncated = !outcome.exact;
    if (bound > 0.0) result.search.gap = value / *result.search.lower_bound_s - 1.0;
    return result;
  }

  /// A block alone has as many devices as a stage may have.
  std::string reason(const BatchCosts& costs, const LeftFree& left_free) const {
    const SearchProblem& problem = input_.problem;
    NoFit no_fit{.limit = problem.memory - left_free.memory.as_double()};
    for (std::size_t block = 0; block < problem.blocks(); ++block)
      no_fit.needed.push_back(
          memory_needed(problem, costs, {static_cast<Digraph::Node>(block)}, costs.max_devices, 1));
    no_fit.where = costs.max_devices == 1 ? "one device"
                                          : fmt::format("each of {} devices", costs.max_devices);
    if (own_.search == GraphpipeSearchMethod::Paper) no_fit.finer = "'search: ideals'";
    return reason_of(workload_, input_, no_fit);
  }

  const Workload& workload_;
  GraphpipeOptions own_;
  SearchReport report_;
  SeriesParallelTree tree_;  ///< of the paper's recursion
  SearchInput input_;
  int devices_;  ///< of the cluster
  ShareTimes times_;
  IdealFamily family_;
  std::optional<PairTable> pairs_;
  std::optional<BottleneckBound> any_plan_;
  std::map<std::int32_t, double> bounds_;  ///< on the objective, by micro-batch size
};

PlannerResult per_stage(const Workload& workload, const PlannerOptions& options,
                        const GraphpipeOptions& own) {
  MixedBatchesOptions mixed{.ks = own.ks, .communication = own.communication};
  if (own.ideals_per_stage) mixed.family.complete = mixed.family.partial = *own.ideals_per_stage;
  if (own.blocks_per_stage) mixed.blocks = *own.blocks_per_stage;
  return plan_mixed_batches(workload, options, mixed);
}

std::vector<int> read_ks(const YamlValue& value) {
  std::vector<YamlValue> items{value};
  if (value.is_sequence()) items = value.items();
  if (items.empty()) value.fail("no k", "at least one number of micro-batches");
  std::vector<int> ks;
  for (const YamlValue& item : items) ks.push_back(static_cast<int>(item.as_integer(1, 64)));
  return ks;
}

/// Errors: ConfigError.
void check_kind(const PlannerOptions& options, const GraphpipeOptions& own) {
  const bool graph = options.kind == PlanKind::Graph;
  const bool paper = own.search == GraphpipeSearchMethod::Paper;
  if (own.micro_batches == MicroBatchSizes::PerStage && (paper || !graph))
    throw ConfigError({.key = "micro_batches"}, "'per_stage' makes graphs of stages over ideals",
                      "'kind: graph' and 'search: ideals'");
  if (paper && !graph)
    throw ConfigError({.key = "search"}, "'paper' makes graphs of stages", "'kind: graph'");
}

}  // namespace

PlannerResult plan_graphpipe(const Workload& workload, const PlannerOptions& options,
                             const GraphpipeOptions& own) {
  check_kind(options, own);
  if (own.micro_batches == MicroBatchSizes::PerStage) return per_stage(workload, options, own);
  GraphpipeSearch search(workload, options, own);
  return best_of_search(workload, options, "graphpipe", search);
}

Planner configure_graphpipe(MapReader& options) {
  GraphpipeOptions own;
  if (const auto value = options.optional("communication"))
    own.communication = static_cast<CommunicationRule>(
        value->as_choice(std::array<std::string, 2>{"sum", "overlap"}));
  if (const auto value = options.optional("search"))
    own.search = static_cast<GraphpipeSearchMethod>(
        value->as_choice(std::array<std::string, 2>{"ideals", "paper"}));
  if (own.search == GraphpipeSearchMethod::Paper) own.device_counts = DeviceCounts::PowersOfTwo;
  if (const auto value = options.optional("device_counts"))
    own.device_counts = static_cast<DeviceCounts>(
        value->as_choice(std::array<std::string, 2>{"all", "powers_of_two"}));
  if (const auto value = options.optional("joins")) {
    own.joins =
        static_cast<Joins>(value->as_choice(std::array<std::string, 2>{"own", "with_branch"}));
    if (own.search != GraphpipeSearchMethod::Paper)
      value->fail("belongs to the paper's search", "'search: paper' beside it");
  }
  if (const auto value = options.optional("micro_batches"))
    own.micro_batches = static_cast<MicroBatchSizes>(
        value->as_choice(std::array<std::string, 2>{"uniform", "per_stage"}));
  if (const auto value = options.optional("k")) {
    own.ks = read_ks(*value);
    if (own.micro_batches != MicroBatchSizes::PerStage)
      value->fail("belongs to stages of their own sizes", "'micro_batches: per_stage' beside it");
  }
  if (const auto value = options.optional("ideals")) {
    own.ideals_per_stage = static_cast<std::size_t>(value->as_integer(2, 20'000));
    own.family.complete = own.family.partial = *own.ideals_per_stage;
  }
  if (const auto value = options.optional("blocks")) {
    own.blocks_per_stage = static_cast<std::size_t>(value->as_integer(1, 10'000));
    own.blocks = *own.blocks_per_stage;
  }
  return {[own](const Workload& workload, const PlannerOptions& common) {
            return plan_graphpipe(workload, common, own);
          },
          [own](const Workload&, const PlannerOptions& common) { check_kind(common, own); }};
}

}  // namespace pipegraph
