#include "core/planners/candidates.h"

#include <algorithm>
#include <map>

#include "core/planners/operator_times.h"
#include "core/planners/placement.h"
#include "core/planners/shared_placement.h"
#include "core/planners/size_search.h"

namespace pipegraph {
namespace {

/// By how much every transfer alone may make a plan longer that is shorter where links are shared.
constexpr double k_longer_alone = 1.001;

/// Candidates that nobody asked for make no more than that: filling and draining a hundred stages
/// takes less than a hundredth of an iteration then, and every evaluation stays short.
constexpr std::int32_t k_most_micro_batches = 1 << 14;

std::vector<DeviceId> unused_devices(const Topology& topology, const std::vector<Stage>& stages) {
  std::vector<char> used(topology.size(), 0);
  for (const Stage& stage : stages)
    for (const DeviceId device : stage.devices) used[device.index()] = 1;
  std::vector<DeviceId> unused;
  for (std::size_t d = 0; d < used.size(); ++d)
    if (!used[d]) unused.push_back(make_id<DeviceId>(d));
  return unused;
}

}  // namespace

std::vector<std::int32_t> micro_batch_candidates(const PlannerOptions& options,
                                                 std::int32_t mini_batch) {
  std::vector<std::int32_t> sizes;
  for (const std::int32_t size : options.micro_batches) sizes.push_back(std::min(size, mini_batch));
  if (sizes.empty()) {
    std::int64_t least = 1;
    while (mini_batch > least * k_most_micro_batches) least *= 2;
    for (std::int64_t size = least; size < mini_batch; size *= 2)
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
  plan.stages = place(workload, std::move(proposal.stages), options,
                      {.devices = std::move(proposal.first_devices)});
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
    const std::int32_t whole = workload.training.mini_batch / stage.micro_batch;
    most = std::max(most, sum_over(stage.operators, by_operator) * whole);
  }
  return most;
}

std::variant<RatedPlan, Infeasible> best_rated_proposal(const Workload& workload,
                                                        const PlannerOptions& options,
                                                        std::string_view planner,
                                                        const Propose& propose) {
  auto found = search_sizes(workload, options, propose);
  if (auto* rated = std::get_if<RatedPlan>(&found)) {
    const double longest = rated->iteration_time_s * k_longer_alone;
    *rated = placed_for_shared_links(workload, options, std::move(*rated), longest);
    rated->plan.planner = planner;
  }
  return found;
}

PlannerResult best_proposal(const Workload& workload, const PlannerOptions& options,
                            std::string_view planner, const Propose& propose) {
  auto result = best_rated_proposal(workload, options, planner, propose);
  if (auto* no = std::get_if<Infeasible>(&result)) return std::move(*no);
  return std::move(std::get<RatedPlan>(result).plan);
}

}  // namespace pipegraph
