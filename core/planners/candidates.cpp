#include "core/planners/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/planners/placement.h"

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

/// Proposes at one micro-batch size, with ever more memory withheld until the plan fits.
Attempt attempt_size(const Workload& workload, const PlannerOptions& options,
                     const Propose& propose, std::int32_t size) {
  Bytes withheld;
  Attempt last = Rejected{};
  for (int i = 0; i < k_most_attempts; ++i) {
    auto proposed = propose(size, withheld);
    if (auto* no = std::get_if<Infeasible>(&proposed))
      return i == 0 ? Rejected{std::move(*no), {}} : std::get<Rejected>(std::move(last));
    last = attempt(workload, options, std::get<Proposal>(std::move(proposed)));
    const auto* rejected = std::get_if<Rejected>(&last);
    if (rejected == nullptr || rejected->excess == Bytes{}) break;
    withheld += rejected->excess;
  }
  return last;
}

double merit(const Rated& rated, Choose choose) {
  return choose == Choose::Objective ? rated.plan.objective->value : rated.iteration_time_s;
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

PlannerResult best_proposal(const Workload& workload, const PlannerOptions& options,
                            std::string_view planner, const Propose& propose) {
  std::optional<Rated> best;
  std::optional<Infeasible> first_no;
  for (const std::int32_t size : micro_batch_candidates(options, workload.training.mini_batch)) {
    Attempt tried = attempt_size(workload, options, propose, size);
    if (const auto* no = std::get_if<Rejected>(&tried)) {
      if (!first_no)
        first_no = Infeasible{
            fmt::format("no plan with micro-batches of {} samples: {}", size, no->why.reason)};
      continue;
    }
    auto& rated = std::get<Rated>(tried);
    if (!best || merit(rated, options.choose) < merit(*best, options.choose) * (1 - k_equal))
      best = std::move(rated);
  }
  if (!best) return *first_no;
  best->plan.planner = planner;
  return std::move(best->plan);
}

}  // namespace pipegraph
