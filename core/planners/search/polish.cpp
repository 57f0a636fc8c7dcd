#include "core/planners/search/polish.h"

#include <utility>

namespace pipegraph {
namespace {

/// The ideals a plan removes one after the other, from empty to full.
std::vector<NodeSet> ideals_of(const SearchProblem& problem, const SearchPlan& plan) {
  std::vector<NodeSet> ideals{NodeSet(problem.blocks())};
  for (const SearchStage& stage : plan.stages) {
    NodeSet next = ideals.back();
    for (const Digraph::Node block : stage.blocks) next.insert(block);
    ideals.push_back(std::move(next));
  }
  return ideals;
}

/// The plan's own ideals and those inside pairs of neighbouring stages, from pair `first` on and
/// around, as far as the options allow.
IdealFamily neighbourhood(const SearchProblem& problem, const SearchPlan& plan, std::size_t first,
                          const PolishOptions& options) {
  const std::vector<NodeSet> own = ideals_of(problem, plan);
  std::vector<IdealFamily> parts{{own, "", false}};
  std::size_t total = own.size();
  const std::size_t pairs = own.size() - 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t at = (first + i) % pairs;
    auto between = ideals_between(problem.graph, own[at], own[at + 2], options.ideals_per_pair);
    if (!between) continue;
    total += between->size();
    if (total > options.ideals) break;
    parts.push_back({std::move(*between), "", false});
  }
  return unite(parts, "neighbouring stages", false);
}

}  // namespace

Polished polish(const SearchProblem& problem, const BatchCosts& costs, SearchPlan plan,
                const SearchLimits& limits, const PolishOptions& options) {
  Polished result{std::move(plan), {}};
  for (int round = 0; round < options.rounds && result.plan.stages.size() > 1; ++round) {
    const std::size_t first = static_cast<std::size_t>(round) * result.plan.stages.size() / 2;
    const IdealFamily family = neighbourhood(problem, result.plan, first, options);
    const PairTable pairs(problem, family);
    Prober prober(problem, pairs, costs);
    SearchLimits better = limits;
    better.incumbent = result.plan.max_time_per_sample;
    SearchOutcome outcome = least_bottleneck(problem, costs, prober, better);
    result.counts.probes += prober.counts().probes;
    result.counts.labels += prober.counts().labels;
    result.counts.relaxed += prober.counts().relaxed;
    if (!outcome.plan) break;
    result.plan = std::move(*outcome.plan);
  }
  return result;
}

}  // namespace pipegraph
