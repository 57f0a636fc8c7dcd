#include "core/planners/size_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/planners/layout_time.h"
#include "core/planners/passes.h"
#include "core/planners/search_input.h"
#include "core/planners/withholding.h"

namespace pipegraph {
namespace {

/// Two figures of merit closer than this (relative) count as equal.
constexpr double k_equal = 1e-9;

/// By how much a plan may become shorter once it has to fit the memory.
constexpr double k_shorter = 1.05;
/// The same where it probably does not fit: fewer stages of more replicas, say, with one
/// micro-batch between them. Refused plans of twice the time were seen to lead to the best one.
constexpr double k_shorter_if_refused = 2.0;

/// Proposals at one micro-batch size before a planner that exceeds the memory is given up.
constexpr int k_most_attempts = 8;
/// The same where the objective decides. Then memory is offered in these steps, which are the same
/// whatever memory there is: what is found with less is found with more.
constexpr int k_most_attempts_by_objective = 96;
constexpr double k_steps_per_octave = 32.0;

/// The step below `bytes`.
Bytes next_step_below(Bytes bytes) {
  const double step = std::ceil(std::log2(bytes.as_double()) * k_steps_per_octave) - 1.0;
  const auto below = static_cast<std::uint64_t>(std::exp2(step / k_steps_per_octave));
  return {std::min(below, bytes.count - 1)};
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
  double bound = 0.0;          ///< seconds that what is proposed, or will be, takes at least
  std::optional<Plan> plan{};  ///< proposed, not evaluated
  Withholding withholding{};   ///< from the next proposal
  Bytes withheld{};            ///< the same where the objective decides
  int idle = 0;                ///< devices it leaves unused
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

  int most_attempts() const { return prunes() ? k_most_attempts : k_most_attempts_by_objective; }

  /// Where the objective decides, which grows with less memory and fewer devices.
  bool no_better(const Proposal& proposal) const {
    return !prunes() && best_ && proposal.objective.value >= merit(*best_) * (1 - k_equal);
  }

  bool uses_idle(const Proposal& proposal, const Candidate& candidate) const {
    std::size_t used = 0;
    for (const Stage& stage : proposal.stages) used += stage.devices.size();
    return candidate.idle > 0 &&
           used + static_cast<std::size_t>(candidate.idle) > workload_.topology->size();
  }

  /// A plan lacked `excess` on some device.
  void offer_less(Candidate& candidate, Bytes excess) {
    if (prunes()) return candidate.withholding.lacked(excess);
    const auto all = Bytes{static_cast<std::uint64_t>(input_.problem.memory)};
    const Bytes offered = all - candidate.withheld;
    if (offered < Bytes{2}) candidate.done = true;
    if (!candidate.done) candidate.withheld = all - next_step_below(offered);
  }

  /// A plan was refused at first. On fewer devices the search may have found one that fits, which
  /// must not be missed for want of idle devices.
  void try_fewer_devices(const Candidate& refused) {
    const auto devices = static_cast<int>(workload_.topology->size());
    if (prunes() || refused.attempts != 1 || options_.device_use == DeviceUse::Exactly ||
        refused.idle + 1 >= devices)
      return;
    candidates_.push_back(Candidate{.size = refused.size, .idle = refused.idle + 1});
  }

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
    auto proposed =
        propose_(candidate.size,
                 {prunes() ? candidate.withholding.next() : candidate.withheld, candidate.idle});
    if (auto* no = std::get_if<Infeasible>(&proposed)) {
      if (candidate.attempts == 0) return give_up(candidate, std::move(no->reason));
      candidate.withholding.found_nothing();
      candidate.done = ++candidate.attempts >= k_most_attempts || !prunes();
      return;
    }
    auto& proposal = std::get<Proposal>(proposed);
    if (no_better(proposal) || uses_idle(proposal, candidate)) {
      candidate.done = true;
      return;
    }
    const double passes = count_passes(proposal.stages, workload_.training.mini_batch);
    if (auto no_way = too_many_passes(passes)) return give_up(candidate, std::move(*no_way));
    const double compute = compute_bound(workload_, proposal);
    candidate.plan = to_plan(workload_, options_, std::move(proposal));
    const Plan& plan = *candidate.plan;
    if (options_.device_use == DeviceUse::Exactly && !plan.unused_devices.empty())
      return give_up(candidate,
                     fmt::format("only {} of {} devices can be used, device_use is exactly",
                                 workload_.topology->size() - plan.unused_devices.size(),
                                 workload_.topology->size()));
    if (!prunes() || candidates_.size() == 1) return;
    const auto figures = times_.figures({plan.kind, plan.extra_in_flight, plan.stages});
    // Of what cannot fit the time is not known.
    const double seconds =
        figures && !figures->too_large ? std::max(compute, figures->seconds / k_shorter) : compute;
    const double shorter =
        figures && figures->tight && !figures->too_large ? k_shorter_if_refused : 1.0;
    candidate.bound = std::max(candidate.work_bound, seconds / shorter);
  }

  void evaluate_plan(Candidate& candidate) {
    Plan plan = std::move(*candidate.plan);
    candidate.plan.reset();
    ++candidate.attempts;
    const Evaluation evaluation = evaluate(workload_, plan, options_.evaluation);
    if (evaluation.ok()) {
      const Best rated{{std::move(plan), evaluation.iteration_time.count()}, candidate.size};
      if (!best_ || better(rated, *best_)) best_ = rated;
      candidate.done = true;
      return;
    }
    candidate.why_not = reason_of(plan, evaluation.prepared);
    const Bytes excess = largest_excess(evaluation.prepared.memory);
    candidate.done = excess == Bytes{} || candidate.attempts >= most_attempts();
    offer_less(candidate, excess);
    candidate.bound = candidate.work_bound;
    try_fewer_devices(candidate);
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

std::variant<RatedPlan, Infeasible> search_sizes(const Workload& workload,
                                                 const PlannerOptions& options,
                                                 const Propose& propose) {
  return SizeSearch(workload, options, propose).run();
}

}  // namespace pipegraph
