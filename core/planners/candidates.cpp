#include "core/planners/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/planners/operator_times.h"
#include "core/planners/placement.h"
#include "core/planners/search_input.h"

namespace pipegraph {
namespace {

/// Two figures of merit closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;

/// Proposals at one micro-batch size before a planner that exceeds the memory is given up.
constexpr int k_most_attempts = 8;

/// A candidate that works, or why it does not.
struct Rated {
  Plan plan;
  double iteration_time_s = 0.0;
  std::int32_t size = 0;  ///< of its micro-batches
};
struct Rejected {
  Infeasible why;
  Bytes excess;  ///< of the device that lacks most memory; 0: another reason
};
using Attempt = std::variant<Rated, Rejected>;

std::vector<DeviceId> unused_devices(const Topology& topology, const std::vector<Stage>& stages) {
  std::vector<char> used(topology.size(), 0);
  for (const Stage& stage : stages)
    for (const DeviceId device : stage.devices) used[device.index()] = 1;
  std::vector<DeviceId> unused;
  for (std::size_t d = 0; d < used.size(); ++d)
    if (!used[d]) unused.push_back(make_id<DeviceId>(d));
  return unused;
}

Bytes largest_excess(const MemoryReport& memory) {
  Bytes most;
  for (const DeviceMemory& device : memory.devices)
    if (!device.fits()) most = std::max(most, device.peak - device.available);
  return most;
}

Attempt attempt(const Workload& workload, const PlannerOptions& options, Proposal proposal) {
  Plan plan = to_plan(workload, options, std::move(proposal));
  if (options.device_use == DeviceUse::Exactly && !plan.unused_devices.empty())
    return Rejected{{fmt::format("only {} of {} devices can be used, device_use is exactly",
                                 workload.topology->size() - plan.unused_devices.size(),
                                 workload.topology->size())},
                    {}};
  const Evaluation evaluation = evaluate(workload, plan, options.evaluation);
  if (!evaluation.ok())
    return Rejected{{evaluation.prepared.reason}, largest_excess(evaluation.prepared.memory)};
  return Rated{std::move(plan), evaluation.iteration_time.count()};
}

using Proposed = std::variant<Proposal, Infeasible>;

/// Micro-batches of so many samples, and an iteration time that interests nobody any more.
struct Size {
  std::int32_t samples = 0;
  double too_long = std::numeric_limits<double>::infinity();
};

/// Proposes at one micro-batch size, with ever more memory withheld until the plan fits.
Attempt attempt_size(const Workload& workload, const PlannerOptions& options,
                     const Propose& propose, const Size& size) {
  Bytes withheld;
  Attempt last = Rejected{};
  for (int i = 0; i < k_most_attempts; ++i) {
    Proposed proposed = propose(size.samples, withheld);
    if (auto* no = std::get_if<Infeasible>(&proposed))
      return i == 0 ? Rejected{std::move(*no), {}} : std::get<Rejected>(std::move(last));
    if (compute_bound(workload, std::get<Proposal>(proposed)) > size.too_long)
      return Rejected{{"another micro-batch size is faster"}, {}};
    last = attempt(workload, options, std::get<Proposal>(std::move(proposed)));
    const auto* rejected = std::get_if<Rejected>(&last);
    if (rejected == nullptr) std::get<Rated>(last).size = size.samples;
    if (rejected == nullptr || rejected->excess == Bytes{}) break;
    withheld += rejected->excess;
  }
  return last;
}

/// What every plan of these micro-batches takes at least: the work of the whole ones at the best
/// share over all devices.
double work_bound(const SearchProblem& problem, ShareTimes& times, std::int32_t micro_batch) {
  const BatchCosts costs = batch_costs(problem, times, micro_batch);
  double work = 0.0;
  for (const double seconds : least_device_seconds(costs, costs.max_devices)) work += seconds;
  return work * (problem.mini_batch / micro_batch) / problem.devices;
}

/// Candidate sizes, those first whose plans may be fastest.
std::vector<std::pair<double, std::int32_t>> sizes_by_bound(const Workload& workload,
                                                            const PlannerOptions& options) {
  std::vector<std::pair<double, std::int32_t>> sizes;
  for (const std::int32_t size : micro_batch_candidates(options, workload.training.mini_batch))
    sizes.emplace_back(0.0, size);
  if (sizes.size() > 1 && options.choose == Choose::IterationTime &&
      workload.topology->homogeneous()) {
    const SearchInput input = search_input(workload);
    ShareTimes times(workload, input);
    for (auto& [bound, size] : sizes) bound = work_bound(input.problem, times, size);
  }
  std::ranges::sort(sizes);
  return sizes;
}

double merit(const Rated& rated, Choose choose) {
  return choose == Choose::Objective ? rated.plan.objective->value : rated.iteration_time_s;
}

bool better(const Rated& rated, const Rated& best, Choose choose) {
  const double a = merit(rated, choose);
  const double b = merit(best, choose);
  return a < b * (1 - k_equal) || (a <= b * (1 + k_equal) && rated.size < best.size);
}

}  // namespace

std::vector<std::int32_t> micro_batch_candidates(const PlannerOptions& options,
                                                 std::int32_t mini_batch) {
  std::vector<std::int32_t> sizes;
  for (const std::int32_t size : options.micro_batches) sizes.push_back(std::min(size, mini_batch));
  if (sizes.empty()) {
    for (std::int64_t size = 1; size < mini_batch; size *= 2)
      sizes.push_back(static_cast<std::int32_t>(size));
    sizes.push_back(mini_batch);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Plan to_plan(const Workload& workload, const PlannerOptions& options, Proposal proposal) {
  Plan plan;
  plan.name = options.name;
  plan.kind = options.kind;
  plan.schedule = options.schedule;
  plan.extra_in_flight = options.extra_in_flight;
  plan.skip_transfer = options.skip_transfer;
  plan.receive_slots = options.receive_slots;
  plan.stages = place(workload, std::move(proposal.stages), options);
  plan.unused_devices = unused_devices(*workload.topology, plan.stages);
  plan.objective = std::move(proposal.objective);
  plan.search = std::move(proposal.search);
  return plan;
}

double compute_bound(const Workload& workload, const Proposal& proposal) {
  if (!workload.topology->homogeneous()) return 0.0;
  std::map<std::int32_t, std::vector<double>> times;  // by share
  double most = 0.0;
  for (const Stage& stage : proposal.stages) {
    if (stage.tensor_parallel != 1) return 0.0;
    const auto replicas = std::max(1, stage.replicas());
    const std::int32_t share = (stage.micro_batch + replicas - 1) / replicas;
    std::vector<double>& by_operator = times[share];
    if (by_operator.empty()) by_operator = operator_times(workload, share);
    most = std::max(most, sum_over(stage.operators, by_operator) *
                              (workload.training.mini_batch / stage.micro_batch));
  }
  return most;
}

std::variant<RatedPlan, Infeasible> best_rated_proposal(const Workload& workload,
                                                        const PlannerOptions& options,
                                                        std::string_view planner,
                                                        const Propose& propose) {
  std::optional<Rated> best;
  std::int32_t least_refused = std::numeric_limits<std::int32_t>::max();
  Infeasible why_not;
  for (const auto& [bound, size] : sizes_by_bound(workload, options)) {
    Size tried_size{size};
    if (best && options.choose == Choose::IterationTime)
      tried_size.too_long = best->iteration_time_s * (1 + k_equal);
    if (bound > tried_size.too_long) break;
    Attempt tried = attempt_size(workload, options, propose, tried_size);
    if (const auto* no = std::get_if<Rejected>(&tried)) {
      if (size > least_refused) continue;
      least_refused = size;
      why_not = {fmt::format("no plan with micro-batches of {} samples: {}", size, no->why.reason)};
      continue;
    }
    auto& rated = std::get<Rated>(tried);
    if (!best || better(rated, *best, options.choose)) best = std::move(rated);
  }
  if (!best) return why_not;
  best->plan.planner = planner;
  return RatedPlan{std::move(best->plan), best->iteration_time_s};
}

PlannerResult best_proposal(const Workload& workload, const PlannerOptions& options,
                            std::string_view planner, const Propose& propose) {
  auto result = best_rated_proposal(workload, options, planner, propose);
  if (auto* no = std::get_if<Infeasible>(&result)) return std::move(*no);
  return std::move(std::get<RatedPlan>(result).plan);
}

}  // namespace pipegraph
