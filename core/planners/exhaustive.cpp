#include "core/planners/exhaustive.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "core/planners/candidates.h"
#include "core/planners/search/exhaustive.h"
#include "core/planners/search_input.h"

namespace pipegraph {
namespace {

/// What makes the problem too large, if anything.
std::optional<Infeasible> too_large(const SearchProblem& problem) {
  const auto devices = static_cast<std::size_t>(problem.devices);
  if (problem.blocks() > k_most_exhaustive_operators || devices > k_most_exhaustive_devices)
    return Infeasible{fmt::format(
        "{} operators on {} devices are too many to enumerate: at most {} operators and {} "
        "devices; use 'graphpipe'",
        problem.blocks(), devices, k_most_exhaustive_operators, k_most_exhaustive_devices)};
  const double sequences = count_partitions(problem.graph, devices);
  if (sequences > k_most_exhaustive_sequences)
    return Infeasible{
        fmt::format("{:.0f} ordered partitions are too many to enumerate: at most {:.0f}; use "
                    "'graphpipe'",
                    sequences, k_most_exhaustive_sequences)};
  return std::nullopt;
}

Proposal to_proposal(const SearchInput& input, const SearchPlan& plan) {
  Proposal proposal{.stages = stages_of(input, plan),
                    .objective = {"max_time_per_sample_s", plan.max_time_per_sample}};
  proposal.search.exact = true;
  proposal.search.family = "all partitions";
  proposal.search.lower_bound_s = plan.max_time_per_sample;
  proposal.search.gap = 0.0;
  return proposal;
}

}  // namespace

PlannerResult plan_exhaustive(const Workload& workload, const PlannerOptions& options) {
  SearchInput input = search_input(workload);
  if (auto no = too_large(input.problem)) return *no;
  input.problem.in_flight =
      options.kind == PlanKind::Graph ? InFlightRule::LongestPath : InFlightRule::Position;
  const double memory = input.problem.memory;
  const int devices = input.problem.devices;
  return best_proposal(
      workload, options, "exhaustive",
      [&](std::int32_t micro_batch,
          const LeftFree& left_free) -> std::variant<Proposal, Infeasible> {
        input.problem.memory = memory - left_free.memory.as_double();
        input.problem.devices = devices - left_free.devices;
        const auto best =
            exhaustive_search(input.problem, batch_costs(workload, input, micro_batch));
        if (!best) return Infeasible{"no partition into stages fits the memory of the devices"};
        Proposal proposal = to_proposal(input, *best);
        proposal.search.exact = left_free.nothing();
        if (!proposal.search.exact) {  // the withheld memory may have cost the optimum
          proposal.search.lower_bound_s.reset();
          proposal.search.gap.reset();
        }
        return proposal;
      });
}

Planner configure_exhaustive(MapReader&) { return plan_exhaustive; }

}  // namespace pipegraph
