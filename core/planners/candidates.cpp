#include "core/planners/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "core/planners/layout_time.h"
#include "core/planners/operator_times.h"
#include "core/planners/passes.h"
#include "core/planners/placement.h"
#include "core/planners/search_input.h"
#include "core/planners/shared_placement.h"
#include "core/planners/withholding.h"

namespace pipegraph {
namespace {

/// Two figures of merit closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;

/// By how much a plan may become shorter once it has to fit the memory.
constexpr double k_shorter = 1.05;

/// By how much every transfer alone may make a plan longer that is shorter where links are shared.
constexpr double k_longer_alone = 1.001;

/// Proposals at one micro-batch size before a planner that exceeds the memory is given up.
constexpr int k_most_attempts = 8;

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

/// Why the plan does not fit; also that it would but for what messages need, which no search knows.
std::string reason_of(const Plan& plan, const PreparedPlan& prepared) {
  std::string reason = prepared.reason;
  Bytes buffers;
  for (const DeviceMemory& device : prepared.memory.devices) {
    if (device.fits()) continue;
    const Bytes own = device.peak_parts[static_cast<std::size_t>(MemoryPart::ReceiveSlots)] +
                      device.peak_parts[static_cast<std::size_t>(MemoryPart::SendBuffers)];
    if (device.peak - device.available > own) return reason;
    buffers = std::max(buffers, own);
  }
  if (buffers == Bytes{}) return reason;
  reason +=
      fmt::format(" (it fits but for buffers of messages, up to {} a device", to_text(buffers));
  return reason + (plan.receive_slots == 0 ? ": 'receive_slots: 1' needs fewer)" : ")");
}

Bytes largest_excess(const MemoryReport& memory) {
  Bytes most;
  for (const DeviceMemory& device : memory.devices)
    if (!device.fits()) most = std::max(most, device.peak - device.available);
  return most;
}

/// What every plan of these micro-batches takes at least: the work of the whole ones at the best
/// share over all devices.
double work_bound(const SearchProblem& problem, ShareTimes& times, std::int32_t micro_batch) {
  const BatchCosts costs = batch_costs(problem, times, micro_batch);
  double work = 0.0;
  for (const double seconds : least_device_seconds(costs, costs.max_devices)) work += seconds;
  const int whole = problem.mini_batch / micro_batch;
  return work * whole / problem.devices;
}

/// One micro-batch size on its way from nothing to a plan that fits.
struct Candidate {
  std::int32_t size = 0;
  double work_bound = 0.0;     ///< seconds that every plan takes
  double bound = 0.0;          ///< seconds that the plan proposed, if any, takes at least
  std::optional<Plan> plan{};  ///< proposed, not evaluated
  Withholding withholding{};   ///< from the next proposal
  int attempts = 0;
  bool done = false;  ///< evaluated, or given up
  std::string why_not{};
};

/// Takes each size as far as it can still win: always the one that promises most.
class SizeSearch {
 public:
  /// All must outlive this.
  SizeSearch(const Workload& workload, const PlannerOptions& options, const Propose& propose)
      : workload_(workload),
        options_(options),
        propose_(propose),
        input_(search_input(workload)),
        times_(workload, options, input_) {
    for (const std::int32_t size : micro_batch_candidates(options, workload.training.mini_batch))
      add(size);
    if (candidates_.size() == 1 || !prunes() || !workload.topology->homogeneous()) return;
    ShareTimes times(workload, input_);
    for (Candidate& candidate : candidates_)
      candidate.bound = candidate.work_bound = work_bound(input_.problem, times, candidate.size);
  }

  std::variant<RatedPlan, Infeasible> run() {
    while (Candidate* next = most_promising()) {
      if (next->plan)
        evaluate_plan(*next);
      else
        propose(*next);
    }
    if (best_) return std::move(best_->rated);
    for (const Candidate& candidate : candidates_)
      if (!candidate.why_not.empty())
        return Infeasible{fmt::format("no plan with micro-batches of {} sample{}: {}",
                                      candidate.size, candidate.size > 1 ? "s" : "",
                                      candidate.why_not)};
    throw InternalError("a size without a plan has a reason");
  }

 private:
  struct Best {
    RatedPlan rated;
    std::int32_t size = 0;
  };

  void add(std::int32_t size) {
    Candidate& added = candidates_.emplace_back(Candidate{.size = size});
    if (auto no = too_many_passes(least_passes(size, workload_.training.mini_batch)))
      give_up(added, std::move(*no));
  }

  bool prunes() const { return options_.choose == Choose::IterationTime; }

  /// Of those that may still win the one of least bound; null if there is none.
  Candidate* most_promising() {
    Candidate* next = nullptr;
    for (Candidate& candidate : candidates_)
      if (!candidate.done && (next == nullptr || candidate.bound < next->bound)) next = &candidate;
    if (next == nullptr || !best_ || !prunes()) return next;
    return next->bound > best_->rated.iteration_time_s * (1 + k_equal) ? nullptr : next;
  }

  void give_up(Candidate& candidate, std::string reason) {
    candidate.done = true;
    candidate.why_not = std::move(reason);
  }

  void propose(Candidate& candidate) {
    auto proposed = propose_(candidate.size, candidate.withholding.next());
    if (auto* no = std::get_if<Infeasible>(&proposed)) {
      if (candidate.attempts == 0) return give_up(candidate, std::move(no->reason));
      candidate.withholding.found_nothing();
      candidate.done = ++candidate.attempts >= k_most_attempts;
      return;
    }
    auto& proposal = std::get<Proposal>(proposed);
    const double passes = count_passes(proposal.stages, workload_.training.mini_batch);
    if (auto no_way = too_many_passes(passes)) return give_up(candidate, std::move(*no_way));
    candidate.bound = std::max(candidate.work_bound, compute_bound(workload_, proposal));
    candidate.plan = to_plan(workload_, options_, std::move(proposal));
    const Plan& plan = *candidate.plan;
    if (options_.device_use == DeviceUse::Exactly && !plan.unused_devices.empty())
      return give_up(candidate,
                     fmt::format("only {} of {} devices can be used, device_use is exactly",
                                 workload_.topology->size() - plan.unused_devices.size(),
                                 workload_.topology->size()));
    if (!prunes() || candidates_.size() == 1) return;
    const auto figures = times_.figures({plan.kind, plan.extra_in_flight, plan.stages});
    if (figures && !figures->too_large)
      candidate.bound = std::max(candidate.bound, figures->seconds / k_shorter);
  }

  void evaluate_plan(Candidate& candidate) {
    Plan plan = std::move(*candidate.plan);
    candidate.plan.reset();
    ++candidate.attempts;
    const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
    if (evaluation.ok()) {
      candidate.done = true;
      const Best rated{{std::move(plan), evaluation.iteration_time.count()}, candidate.size};
      if (!best_ || better(rated, *best_)) best_ = rated;
      return;
    }
    candidate.why_not = reason_of(plan, evaluation.prepared);
    const Bytes excess = largest_excess(evaluation.prepared.memory);
    candidate.done = excess == Bytes{} || candidate.attempts >= k_most_attempts;
    candidate.withholding.lacked(excess);
    candidate.bound = candidate.work_bound;
  }

  double merit(const Best& rated) const {
    return prunes() ? rated.rated.iteration_time_s : rated.rated.plan.objective->value;
  }
  bool better(const Best& rated, const Best& best) const {
    const double a = merit(rated);
    const double b = merit(best);
    return a < b * (1 - k_equal) || (a <= b * (1 + k_equal) && rated.size < best.size);
  }

  const Workload& workload_;
  const PlannerOptions& options_;
  const Propose& propose_;
  SearchInput input_;
  LayoutTimes times_;
  std::vector<Candidate> candidates_;  ///< ascending by size
  std::optional<Best> best_;
};

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
  auto found = SizeSearch(workload, options, propose).run();
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
