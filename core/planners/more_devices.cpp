#include "core/planners/more_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/planners/candidates.h"
#include "core/planners/evaluate.h"
#include "core/planners/least_memory.h"
#include "core/planners/passes.h"
#include "core/planners/search_input.h"
#include "core/schedule/table.h"

namespace pipegraph {
namespace {

/// Forwards and backwards of all plans that are lowered, so that the answer comes at once.
constexpr double k_most_passes_tried = 1 << 20;

/// All messages pass the same link: it is priced, never shared.
class OneLink : public Router {
 public:
  std::vector<LinkId> links(DeviceId /*from*/, DeviceId /*to*/) const override {
    return {LinkId{0}};
  }
};

/// The flat network that searches see (search_input.h).
Link link_of(const Workload& workload) {
  const SearchProblem problem = search_input(workload).problem;
  return {"network", {problem.bandwidth}, Seconds{problem.latency}};
}

/// The workload on so many devices like its first one.
Workload on_devices(const Workload& workload, std::size_t devices, const Link& link) {
  Device device = workload.topology->devices().front();
  device.node = device.socket = 0;
  Workload other = workload;
  other.topology = std::make_shared<const Topology>(
      workload.topology->name(), std::vector<Device>(devices, device), std::vector<Link>{link},
      std::make_shared<const OneLink>());
  return other;
}

/// Tries one number of devices after the other.
class Trial {
 public:
  Trial(const Workload& workload, const PlannerOptions& options, const CutRule& rule)
      : workload_(workload),
        options_(options),
        rule_(rule),
        link_(link_of(workload)),
        micro_batch_(micro_batch_candidates(options, workload.training.mini_batch).front()) {}

  /// What to say, or nothing.
  std::string text() {
    const std::size_t operators = workload_.graph->size();
    const std::size_t there_are = workload_.topology->size();
    const std::size_t last = std::min(operators, rule_.most_devices);
    for (std::size_t devices = 1; devices <= last; ++devices) {
      if (devices == there_are || !fits(devices)) continue;
      if (devices < there_are) return fmt::format("on {} of the devices its plan fits", devices);
      return fmt::format("the smallest feasible device count is {}", devices);
    }
    if (passes_ > k_most_passes_tried) return {};
    if (last == operators) return "more devices do not help";
    return fmt::format("up to {} devices do not help", last);
  }

 private:
  /// Whether the plan of the smallest micro-batches fits; "no" where too much was tried.
  bool fits(std::size_t devices) {
    const Workload workload = on_devices(workload_, devices, link_);
    Plan plan;
    plan.kind = options_.kind;
    plan.schedule = options_.schedule;
    plan.extra_in_flight = options_.extra_in_flight;
    plan.skip_transfer = options_.skip_transfer;
    plan.receive_slots = options_.receive_slots;
    plan.stages = rule_.cut(workload, micro_batch_);
    if (cannot_fit(workload, plan)) return false;
    passes_ += count_passes(plan.stages, workload.training.mini_batch);
    return passes_ <= k_most_passes_tried && prepare(workload, plan).status == PlanStatus::Ok;
  }

  /// By what each stage keeps at least.
  bool cannot_fit(const Workload& workload, const Plan& plan) const {
    const StageGraph stages(*workload.graph, plan.stages, plan.kind, plan.skip_transfer);
    if (!stages.acyclic()) return true;
    std::vector<StageSchedule> orders(stages.size());
    const std::vector<std::int64_t> rule =
        in_flight_samples(stages, {workload.training.mini_batch, plan.extra_in_flight});
    for (std::size_t s = 0; s < orders.size(); ++s)
      orders[s].in_flight_peak = in_flight(rule[s], plan);
    return exceeds_memory(workload, stages, orders);
  }

  /// Of the schedule, at least.
  std::int64_t in_flight(std::int64_t by_rule, const Plan& plan) const {
    const std::int64_t all = workload_.training.mini_batch;
    if (plan.schedule == "gpipe") return all;
    if (plan.schedule == "1f1b" || plan.schedule == "kfkb") return std::min(by_rule, all);
    return std::min<std::int64_t>(micro_batch_, all);
  }

  const Workload& workload_;
  const PlannerOptions& options_;
  const CutRule& rule_;
  Link link_;
  std::int32_t micro_batch_;
  double passes_ = 0.0;
};

}  // namespace

PlannerResult with_fewest_devices(PlannerResult result, const Workload& workload,
                                  const PlannerOptions& options, const CutRule& rule) {
  Infeasible* const no = std::get_if<Infeasible>(&result);
  if (no == nullptr || !workload.topology->homogeneous()) return result;
  const std::int32_t mini_batch = workload.training.mini_batch;
  const std::int32_t size = micro_batch_candidates(options, mini_batch).front();
  if (too_many_passes(least_passes(size, mini_batch))) return result;  // on any devices
  const std::string text = Trial(workload, options, rule).text();
  if (!text.empty()) no->reason += "; " + text;
  return result;
}

}  // namespace pipegraph
