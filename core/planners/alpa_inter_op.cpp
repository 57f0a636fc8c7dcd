#include "core/planners/alpa_inter_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/yaml_reader.h"
#include "core/planners/best_of_search.h"
#include "core/planners/contraction.h"
#include "core/planners/linearise.h"
#include "core/planners/no_fit.h"
#include "core/planners/search/latency_search.h"
#include "core/planners/search_input.h"

namespace pipegraph {
namespace {

constexpr double k_equal = 1e-9;  // relative

/// A sweep of as many takes about a tenth of a second, and a size takes some dozens.
constexpr double k_most_steps = 1e8;

/// The search over one workload, for every micro-batch size in turn.
class AlpaSearch {
 public:
  AlpaSearch(const Workload& workload, const AlpaOptions& own) : workload_(workload), own_(own) {
    ContractedInput contracted = contracted_input(workload, own.blocks);
    search_ = std::move(contracted.input);
    report_.notes = std::move(contracted.notes);
    search_.problem.in_flight = InFlightRule::Position;
    family_ = prefixes(search_.problem.graph, branch_by_branch(search_.problem.graph));
    pairs_.emplace(search_.problem, family_);
    report_.family = "prefixes, branch by branch";
    report_.states = family_.ideals.size();
    report_.cuts = pairs_->pairs().size();
  }

  std::variant<Proposal, Infeasible> propose(std::int32_t micro_batch, const LeftFree& left_free) {
    const BatchCosts costs = batch_costs(workload_, search_, micro_batch);
    if (steps_of_sweep(search_.problem, *pairs_, costs) > k_most_steps) {
      too_large_ = too_large_ ? std::min(*too_large_, micro_batch) : micro_batch;
      return Infeasible{fmt::format(
          "a sweep of {} cuts with up to {} devices a stage is too long; fewer 'blocks', smaller "
          "micro-batches or fewer devices make it shorter",
          pairs_->pairs().size(), costs.max_devices)};
    }
    SearchProblem problem = search_.problem;
    problem.memory -= left_free.memory.as_double();
    const LatencyOutcome outcome = least_latency(problem, *pairs_, costs, {own_.step});
    report_.probes += outcome.sweeps;
    if (!outcome.plan)
      return Infeasible{reason_of(workload_, search_,
                                  {search_.problem.fixed, problem.memory, "each device", "chain"})};
    Proposal result;
    result.stages = stages_of(search_, *outcome.plan);
    result.objective = {"pipeline_latency_s", outcome.latency};
    result.search = report_;
    prove(outcome, result.search);
    return result;
  }

  /// On how many devices, one stage after the other, micro-batches of that size would fit.
  std::string fewest_devices_at(std::int32_t micro_batch) const {
    if (too_large_ && micro_batch >= *too_large_) return {};
    return fewest_devices_text(workload_, search_, *pairs_, micro_batch);
  }

  /// Counts of all sizes together, with the figures of the plan chosen.
  SearchReport report(const SearchReport& chosen) const {
    SearchReport result = chosen;
    result.probes = report_.probes;
    if (too_large_)
      result.notes.push_back(fmt::format(
          "no micro-batches of {} samples or more: too many devices for its sweep", *too_large_));
    return result;
  }

 private:
  /// Chains of blocks are all that was searched: of those of single operators it says nothing.
  void prove(const LatencyOutcome& outcome, SearchReport& report) const {
    const bool equal = outcome.latency <= outcome.lower_bound;  // both may be nothing
    const double gap = equal ? 0.0 : outcome.latency / outcome.lower_bound - 1.0;
    if (search_.blocks.size() < workload_.graph->size()) {
      report.notes.push_back(fmt::format("no chain of these blocks has a latency below {}",
                                         to_text(Seconds{outcome.lower_bound})));
      return;
    }
    report.lower_bound_s = outcome.lower_bound;
    report.gap = gap;
    report.exact = gap <= k_equal;
  }

  const Workload& workload_;
  AlpaOptions own_;
  SearchReport report_;
  SearchInput search_;
  IdealFamily family_;
  std::optional<PairTable> pairs_;
  std::optional<std::int32_t> too_large_{};  ///< the least size of micro-batches that was left out
};

}  // namespace

PlannerResult plan_alpa_inter_op(const Workload& workload, const PlannerOptions& options,
                                 const AlpaOptions& own) {
  AlpaSearch search(workload, own);
  return best_of_search(workload, options, "alpa_inter_op", search);
}

Planner configure_alpa_inter_op(MapReader& options) {
  AlpaOptions own;
  if (const auto value = options.optional("blocks"))
    own.blocks = static_cast<std::size_t>(value->as_integer(1, 1'000));
  if (const auto value = options.optional("step")) {
    own.step = value->as_double();
    if (own.step < 0.0 || own.step > 1.0) value->fail("out of range", "a number from 0 to 1");
  }
  return [own](const Workload& workload, const PlannerOptions& common) {
    return plan_alpa_inter_op(workload, common, own);
  };
}

}  // namespace pipegraph
