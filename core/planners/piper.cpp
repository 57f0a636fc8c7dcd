#include "core/planners/piper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/candidates.h"
#include "core/planners/search/downset_search.h"
#include "core/planners/search/family.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_small_family = 1'500;  // ideals, where there are too many downsets

/// The search over one workload, for every micro-batch size in turn.
class PiperSearch {
 public:
  PiperSearch(const Workload& workload, const PlannerOptions& options, const PiperOptions& own)
      : workload_(workload), own_(own) {
    const SearchInput search = input(1).search;
    if (auto all = all_ideals(search.problem.graph, own.downsets)) {
      family_ = std::move(*all);
    } else {
      family_ = choose_family(search.problem, search.signature,
                              {.complete = own.downsets, .partial = k_small_family});
      report_.notes.push_back(fmt::format("more than {} downsets: searched {} of them ({})",
                                          own.downsets, family_.ideals.size(), family_.name));
    }
    if (own.granularity == Granularity::Layer)
      report_.notes.push_back(
          fmt::format("{} operators in {} layers", workload.graph->size(), search.blocks.size()));
    report_.family = family_.name;
    report_.states = family_.ideals.size();
    if (own.time_limit && options.elapsed)
      out_of_time_ = [elapsed = options.elapsed, limit = *own.time_limit] {
        return elapsed() > limit;
      };
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, Bytes withheld) {
    const std::int32_t mini_batch = workload_.training.mini_batch;
    if (mini_batch % micro_batch != 0)
      return Infeasible{fmt::format("micro-batches of {} samples do not divide a mini-batch of {}",
                                    micro_batch, mini_batch)};
    LayerInput layers = input(micro_batch);
    layers.problem.memory -= withheld.as_double();
    DownsetSearch search(layers.problem, family_);
    report_.cuts = search.pairs();
    const DownsetOutcome outcome = search.run(out_of_time_);
    report_.probes += outcome.probes;
    if (outcome.truncated) report_.truncated = true;
    if (!outcome.plan) return Infeasible{reason(layers, outcome)};
    return proposal(layers, outcome, micro_batch);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    result.truncated = report_.truncated;
    return result;
  }

 private:
  LayerInput input(std::int32_t micro_batch) const {
    LayerInput layers = layer_input(
        workload_,
        {.micro_batch = micro_batch, .granularity = own_.granularity, .recompute = own_.recompute});
    layers.problem.knapsack = own_.knapsack;
    layers.problem.transfer = own_.transfer;
    return layers;
  }

  Proposal proposal(const LayerInput& layers, const DownsetOutcome& outcome,
                    std::int32_t micro_batch) const {
    const double value = outcome.plan->bottleneck / micro_batch;
    Proposal result;
    result.stages = stages_of(layers, *outcome.plan, micro_batch);
    result.objective = {"max_time_per_sample_s", value};
    result.search = report_;
    result.search.exact = outcome.exact && family_.complete;
    // Over a part of the downsets only the bound by work holds.
    const double bound =
        family_.complete ? outcome.lower_bound / micro_batch : outcome.least_bound / micro_batch;
    result.search.lower_bound_s = std::min(bound, value);
    if (*result.search.lower_bound_s > 0.0)
      result.search.gap = value / *result.search.lower_bound_s - 1.0;
    return result;
  }

  /// The layer that needs most memory alone, if it is more than there is.
  std::string reason(const LayerInput& layers, const DownsetOutcome& outcome) const {
    if (outcome.truncated) return "the time limit came before the first plan";
    const LayerProblem& problem = layers.problem;
    std::size_t worst = 0;
    double most = -1.0;
    for (std::size_t layer = 0; layer < problem.layers.size(); ++layer) {
      double needed = std::numeric_limits<double>::infinity();
      for (const LayerDegree& degree : problem.layers[layer])
        for (const LayerWay& way : degree.ways) needed = std::min(needed, way.saved + way.fixed);
      if (needed > most) std::tie(worst, most) = std::pair(layer, needed);
    }
    const Bytes limit{static_cast<std::uint64_t>(std::max(problem.memory, 0.0))};
    if (most > problem.memory)
      return fmt::format("stage with '{}' needs {} on each device, limit {}",
                         workload_.graph->at(layers.search.blocks[worst].front()).name,
                         to_text(Bytes{static_cast<std::uint64_t>(most)}), to_text(limit));
    return fmt::format("no cut into stages for {} devices fits {} per device", problem.devices,
                       to_text(limit));
  }

  const Workload& workload_;
  PiperOptions own_;
  SearchReport report_;
  IdealFamily family_;
  std::function<bool()> out_of_time_;
};

template <class Enum, std::size_t N>
void read_choice(MapReader& options, const std::string& key,
                 const std::array<std::string, N>& names, Enum& into) {
  if (const auto value = options.optional(key)) into = static_cast<Enum>(value->as_choice(names));
}

}  // namespace

PlannerResult plan_piper(const Workload& workload, const PlannerOptions& options,
                         const PiperOptions& own) {
  PiperSearch search(workload, options, own);
  PlannerResult result =
      best_proposal(workload, options, "piper", [&](std::int32_t micro_batch, Bytes withheld) {
        return search.propose(micro_batch, withheld);
      });
  if (auto* plan = std::get_if<Plan>(&result)) plan->search = search.report(*plan->search);
  return result;
}

Planner configure_piper(MapReader& options) {
  PiperOptions own;
  read_choice(options, "granularity", std::array<std::string, 2>{"layer", "operator"},
              own.granularity);
  read_choice(options, "knapsack", std::array<std::string, 2>{"exact", "greedy"}, own.knapsack);
  read_choice(options, "transfer", std::array<std::string, 2>{"edge", "consumer"}, own.transfer);
  if (const auto value = options.optional("recompute"))
    own.recompute = value->as_choice(std::array<std::string, 2>{"none", "choose"}) == 1;
  if (const auto value = options.optional("downsets"))
    own.downsets = static_cast<std::size_t>(value->as_integer(2, 40'000));
  if (const auto value = options.optional("time_limit")) own.time_limit = value->as_seconds();
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_piper(workload, common, own);
  };
}

}  // namespace pipegraph
