#include "core/planners/mixed_batches.h"

#include <algorithm>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/no_fit.h"
#include "core/planners/search/mixed_search.h"

namespace pipegraph {
namespace {

std::vector<Stage> stages_of(const SearchInput& input, const MixedProblem& problem,
                             const std::vector<MixedStage>& found) {
  std::vector<Stage> stages;
  std::int32_t next_device = 0;
  for (auto stage = found.rbegin(); stage != found.rend(); ++stage) {
    Stage& made = stages.emplace_back();
    made.name = "s" + std::to_string(stages.size() - 1);
    for (const Digraph::Node block : stage->blocks) {
      const auto& operators = input.blocks[static_cast<std::size_t>(block)];
      made.operators.insert(made.operators.end(), operators.begin(), operators.end());
    }
    std::ranges::sort(made.operators);
    for (int d = 0; d < stage->devices; ++d) made.devices.push_back(DeviceId{next_device++});
    made.micro_batch = problem.sizes[stage->size].micro_batch;
    made.k = stage->k;
  }
  return stages;
}

Proposal proposal_of(const ContractedInput& input, const IdealFamily& family,
                     const MixedProblem& problem, const MixedOutcome& outcome) {
  Proposal result;
  result.stages = stages_of(input.input, problem, outcome.stages);
  result.objective = {"max_time_per_sample_s", outcome.max_time_per_sample};
  result.search.family = family.name + ", a micro-batch size for every stage";
  result.search.states = family.ideals.size();
  result.search.probes = outcome.probes;
  result.search.notes = input.notes;
  result.search.truncated = !outcome.exact;
  result.search.exact = outcome.exact && family.complete && input.notes.empty();
  if (result.search.exact) {
    result.search.lower_bound_s = std::min(outcome.lower_bound, outcome.max_time_per_sample);
    result.search.gap = outcome.max_time_per_sample / *result.search.lower_bound_s - 1.0;
  }
  return result;
}

}  // namespace

PlannerResult plan_mixed_batches(const Workload& workload, const PlannerOptions& options,
                                 const MixedBatchesOptions& own) {
  ContractedInput input = contracted_input(workload, own.blocks);
  MixedProblem problem{input.input.problem, {}, own.ks};
  problem.base.communication = own.communication;
  problem.base.in_flight = InFlightRule::LongestPath;
  ShareTimes times(workload, input.input);
  const auto sizes = micro_batch_candidates(options, workload.training.mini_batch);
  const IdealFamily family = choose_family(problem.base, input.input.signature, own.family);
  PlannerOptions by_largest = options;
  // Larger sizes are allowed, not demanded: by the objective all together are best.
  if (options.choose == Choose::Objective) by_largest.micro_batches = {sizes.back()};
  if (std::ranges::any_of(own.ks, [](int k) { return k > 1; })) by_largest.schedule = "kfkb";
  const double memory = problem.base.memory;
  const auto propose = [&](std::int32_t largest,
                           const LeftFree& left_free) -> std::variant<Proposal, Infeasible> {
    problem.sizes.clear();
    for (const std::int32_t size : sizes)
      if (size <= largest) problem.sizes.push_back(batch_costs(problem.base, times, size));
    problem.base.memory = memory - left_free.memory.as_double();
    const PairTable pairs(problem.base, family);
    const MixedOutcome outcome = search_mixed(problem, pairs, own.labels);
    if (outcome.stages.empty())
      return Infeasible{reason_of(workload, input.input,
                                  {.needed = problem.base.fixed,
                                   .limit = problem.base.memory,
                                   .finer = "'micro_batches: uniform'"})};
    Proposal result = proposal_of(input, family, problem, outcome);
    result.search.cuts = pairs.pairs().size();
    return result;
  };
  return best_proposal(workload, by_largest, "graphpipe", propose);
}

}  // namespace pipegraph
