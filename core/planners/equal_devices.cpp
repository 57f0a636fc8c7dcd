#include "core/planners/equal_devices.h"

#include <algorithm>
#include <functional>
#include <utility>

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

std::vector<double> device_speeds(const Workload& workload) {
  const std::vector<std::size_t> kinds = equally_fast(workload);
  const std::int64_t share =
      (workload.training.mini_batch - 1) / static_cast<std::int64_t>(kinds.size()) + 1;
  std::vector<double> speeds;
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    if (kinds[d] < d) {
      speeds.push_back(speeds[kinds[d]]);
      continue;
    }
    const ComputeRate rate =
        compute_rate(workload.topology->devices()[d], workload.training.precision);
    Seconds all{0};
    for (std::size_t i = 0; i < workload.graph->size(); ++i)
      for (const Pass pass : {Pass::Forward, Pass::Backward})
        all += workload.costs->time(make_id<OperatorId>(i), pass, share, rate);
    speeds.push_back(1.0 / all.count());
  }
  return speeds;
}

std::vector<DeviceId> best_devices_first(const Workload& workload) {
  const std::vector<double> speeds = device_speeds(workload);
  const std::vector<Device>& all = workload.topology->devices();
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < speeds.size(); ++d) devices.push_back(make_id<DeviceId>(d));
  const auto figures = [&](DeviceId device) {
    return std::pair{speeds[device.index()], available_memory(all[device.index()])};
  };
  const auto like_the_first = [&](DeviceId device) {
    return figures(device) == figures(devices.front());
  };
  if (std::ranges::all_of(devices, like_the_first)) return {};
  std::ranges::stable_sort(devices, std::greater<>{}, figures);
  return devices;
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
