#include "core/planners/pipedream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/best_of_search.h"
#include "core/planners/contraction.h"
#include "core/planners/linearise.h"
#include "core/planners/no_fit.h"
#include "core/planners/search/chain_search.h"
#include "core/planners/search/optimise.h"

namespace pipegraph {
namespace {

/// The search over one workload, for every micro-batch size in turn.
class PipedreamSearch {
 public:
  PipedreamSearch(const Workload& workload, const PlannerOptions& options,
                  const PipedreamOptions& own)
      : workload_(workload), own_(own), exactly_(options.device_use == DeviceUse::Exactly) {
    ContractedInput contracted = contracted_input(workload, own.blocks);
    search_ = std::move(contracted.input);
    report_.notes = std::move(contracted.notes);
    if (own_.levels.empty()) own_.levels = levels_of(*workload.topology);
    search_.problem.in_flight = InFlightRule::Position;
    make_family();
    pairs_.emplace(search_.problem, family_);
    report_.family = family_.name;
    report_.states = family_.ideals.size();
    report_.cuts = pairs_->pairs().size();
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, const LeftFree& left_free) {
    return own_.cost == ChainCost::Common ? propose_common(micro_batch, left_free)
                                          : propose_own(micro_batch, left_free);
  }

  /// On how many devices, one stage after the other, the smallest micro-batches would fit.
  std::string fewest_devices_at(std::int32_t micro_batch) const {
    return fewest_devices_text(workload_, search_, *pairs_, micro_batch);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    return result;
  }

 private:
  void make_family() {
    const Digraph& graph = search_.problem.graph;
    if (own_.linearise == Linearisation::Antichain) {
      if (auto all = all_ideals(graph, own_.ideals)) {
        family_ = std::move(*all);
        return;
      }
      too_many_downsets_ = true;
      report_.notes.push_back(
          fmt::format("more than {} downsets: linearised branch by branch", own_.ideals));
    }
    family_ = prefixes(graph, branch_by_branch(graph));
    family_.name = "prefixes, branch by branch";
    const bool chain = std::ranges::all_of(
        graph.edges(), [](const Digraph::Edge& edge) { return edge.to == edge.from + 1; });
    if (!chain) report_.notes.emplace_back("the graph is planned as a chain, branch by branch");
  }

  SearchInput on_devices(const LeftFree& left_free) const {
    SearchInput search = search_;
    search.problem.devices -= left_free.devices;
    return search;
  }

  std::variant<Proposal, Infeasible> propose_common(std::int32_t micro_batch,
                                                    const LeftFree& left_free) {
    const SearchInput search = on_devices(left_free);
    const BatchCosts costs = batch_costs(workload_, search, micro_batch);
    Prober prober(search.problem, *pairs_, costs);
    SearchLimits limits;
    limits.memory = search_.problem.memory - left_free.memory.as_double();
    const SearchOutcome outcome = least_bottleneck(search.problem, costs, prober, limits);
    if (!outcome.plan) return Infeasible{reason(left_free)};
    const SearchPlan plan =
        break_ties(search.problem, costs, prober, *outcome.plan, {.memory = limits.memory});
    report_.probes += prober.counts().probes;
    Proposal result = proposal(plan.max_time_per_sample, outcome.lower_bound);
    result.stages = stages_of(search_, plan);
    result.search.exact = outcome.exact && claims_all();
    return result;
  }

  /// Whether all chains that are claimed to be searched were: those of single operators.
  bool claims_all() const {
    return !too_many_downsets_ && search_.blocks.size() == workload_.graph->size();
  }

  std::variant<Proposal, Infeasible> propose_own(std::int32_t micro_batch,
                                                 const LeftFree& left_free) {
    std::vector<ChainLevel> levels = own_.levels;
    if (left_free.devices > 0 && levels.size() > 1) return Infeasible{reason(left_free)};
    levels.back().workers -= left_free.devices;
    ChainInput input = chain_input(workload_, on_devices(left_free),
                                   {.micro_batch = micro_batch,
                                    .levels = std::move(levels),
                                    .sync = own_.sync,
                                    .exactly = exactly_});
    input.problem.base.memory -= left_free.memory.as_double();
    input.problem.most_replicas = input.problem.costs.max_devices;
    const ChainOutcome outcome = ChainSearch(input.problem, *pairs_).run();
    report_.probes += outcome.probes;
    if (!outcome.plan) return Infeasible{reason(left_free)};
    Proposal result = proposal(outcome.plan->max_time_per_sample, outcome.lower_bound);
    result.stages = stages_of(input, *outcome.plan);
    result.search.exact = outcome.exact && claims_all();
    return result;
  }

  /// Without stages. The bound holds for chains of the family, as the planner's claim does; for
  /// those of single operators only where blocks are that.
  Proposal proposal(double value, double lower_bound) const {
    Proposal result;
    result.objective = {"max_time_per_sample_s", value};
    result.search = report_;
    if (search_.blocks.size() < workload_.graph->size()) return result;
    result.search.lower_bound_s = std::min(lower_bound, value);
    if (*result.search.lower_bound_s > 0.0)
      result.search.gap = value / *result.search.lower_bound_s - 1.0;
    return result;
  }

  std::string reason(const LeftFree& left_free) const {
    return reason_of(workload_, search_,
                     {search_.problem.fixed, search_.problem.memory - left_free.memory.as_double(),
                      "each device", "chain"});
  }

  const Workload& workload_;
  PipedreamOptions own_;
  bool exactly_;
  bool too_many_downsets_ = false;
  SearchReport report_;
  SearchInput search_;
  IdealFamily family_;
  std::optional<PairTable> pairs_;
};

constexpr std::int64_t k_most_workers = 1'000'000;

std::vector<ChainLevel> read_levels(const YamlValue& value) {
  std::vector<ChainLevel> levels;
  for (const YamlValue& item : value.items()) {
    MapReader reader(item, "a level");
    ChainLevel level;
    level.workers = static_cast<int>(reader.required("workers").as_integer(1, k_most_workers));
    level.bandwidth = reader.required("bandwidth").as_bytes_per_second().value;
    reader.finish();
    levels.push_back(level);
  }
  if (levels.empty() || levels.size() > 2)
    value.fail(fmt::format("{} levels", levels.size()), "one, or an inner and an outer one");
  return levels;
}

void check_levels(const Workload& workload, const std::vector<ChainLevel>& levels, DeviceUse use) {
  if (levels.empty()) return;
  const auto there_are = static_cast<std::int64_t>(workload.topology->size());
  std::int64_t devices = 1;
  for (const ChainLevel& level : levels) devices *= level.workers;
  if (devices > there_are)
    throw ConfigError({.key = "levels"}, fmt::format("they have {} devices", devices),
                      fmt::format("at most {}, as the cluster has", there_are));
  if (devices < there_are && use == DeviceUse::Exactly)
    throw ConfigError({.key = "levels"},
                      fmt::format("they have {} devices, device_use is exactly", devices),
                      fmt::format("{}, as the cluster has", there_are));
}

}  // namespace

PlannerResult plan_pipedream(const Workload& workload, const PlannerOptions& options,
                             const PipedreamOptions& own) {
  check_levels(workload, own.levels, options.device_use);
  PipedreamSearch search(workload, options, own);
  return best_of_search(workload, options, "pipedream", search);
}

Planner configure_pipedream(MapReader& options) {
  PipedreamOptions own;
  if (const auto value = options.optional("linearise"))
    own.linearise = static_cast<Linearisation>(
        value->as_choice(std::array<std::string, 2>{"branch_by_branch", "antichain"}));
  const auto cost = options.optional("cost");
  if (cost)
    own.cost = static_cast<ChainCost>(cost->as_choice(std::array<std::string, 2>{"own", "common"}));
  const auto sync = options.optional("sync");
  if (sync)
    own.sync =
        static_cast<SyncRule>(sync->as_choice(std::array<std::string, 3>{"ring", "sum", "max"}));
  const auto levels = options.optional("levels");
  if (levels) own.levels = read_levels(*levels);
  if (own.cost == ChainCost::Common && (sync || levels))
    cost->fail("'cost: common' knows neither synchronisation nor levels",
               "no 'sync' and no 'levels' beside it");
  if (const auto value = options.optional("ideals"))
    own.ideals = static_cast<std::size_t>(value->as_integer(2, 10'000));
  if (const auto value = options.optional("blocks"))
    own.blocks = static_cast<std::size_t>(value->as_integer(1, 1'000));
  return {[own](const Workload& workload, const PlannerOptions& common) {
            return plan_pipedream(workload, common, own);
          },
          [levels = own.levels](const Workload& workload, const PlannerOptions& common) {
            check_levels(workload, levels, common.device_use);
          }};
}

}  // namespace pipegraph
