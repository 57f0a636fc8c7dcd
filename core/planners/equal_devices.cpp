#include "core/planners/equal_devices.h"

#include <algorithm>

#include "core/planners/least_memory.h"
#include "core/schedule/table.h"
#include "core/stage/stage_costs.h"

namespace pipegraph {
namespace {

/// Of the final count over what a stage keeps at least.
constexpr double k_margin = 1.25;

/// Everything that a device may be asked to compute.
class Comparison {
 public:
  explicit Comparison(const Workload& workload) : workload_(workload) {
    for (std::int64_t share = 1; share < workload.training.mini_batch; share *= 2)
      shares_.push_back(share);
    shares_.push_back(workload.training.mini_batch);
  }

  bool equal(const Device& a, const Device& b) const {
    const Training& training = workload_.training;
    const ComputeRate rate_a = compute_rate(a, training.precision);
    const ComputeRate rate_b = compute_rate(b, training.precision);
    const Bytes parameters{1 << 30};
    return a.overlap == b.overlap &&
           optimizer_time(training, parameters, a) == optimizer_time(training, parameters, b) &&
           (rate_a == rate_b || equal_times(rate_a, rate_b));
  }

 private:
  bool equal_times(const ComputeRate& a, const ComputeRate& b) const {
    const CostModel& costs = *workload_.costs;
    for (std::size_t i = 0; i < workload_.graph->size(); ++i)
      for (const Pass pass : {Pass::Forward, Pass::Backward})
        for (const std::int64_t share : shares_) {
          const auto op = make_id<OperatorId>(i);
          if (costs.time(op, pass, share, a) != costs.time(op, pass, share, b)) return false;
        }
    return true;
  }

  const Workload& workload_;
  std::vector<std::int64_t> shares_;
};

}  // namespace

std::vector<std::size_t> equally_fast(const Workload& workload) {
  const std::vector<Device>& devices = workload.topology->devices();
  const Comparison comparison(workload);
  std::vector<std::size_t> first;
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto like = std::ranges::find_if(
        kinds, [&](std::size_t kind) { return comparison.equal(devices[kind], devices[i]); });
    first.push_back(like == kinds.end() ? i : *like);
    if (first.back() == i) kinds.push_back(i);
  }
  return first;
}

bool all_equally_fast(const Workload& workload) {
  return std::ranges::all_of(equally_fast(workload), [](std::size_t kind) { return kind == 0; });
}

Bytes available_memory(const Device& device) {
  return device.memory - std::min(device.reserved, device.memory);
}

std::vector<Bytes> memory_needs(const Workload& workload, const StageGraph& stages,
                                const PlannerOptions& options) {
  std::vector<Bytes> needs(workload.topology->size());
  const auto orders = find_schedule(options.schedule)
                          ->order_stages(stages, {.mini_batch = workload.training.mini_batch,
                                                  .extra_in_flight = options.extra_in_flight});
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    const double bytes = least_memory(workload, stage, orders[s]).as_double() * k_margin;
    for (const DeviceId device : stage.devices)
      needs[device.index()] += Bytes{static_cast<std::uint64_t>(bytes)};
  }
  return needs;
}

}  // namespace pipegraph
