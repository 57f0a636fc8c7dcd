#include "core/planners/shared_placement.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/planners/equal_devices.h"
#include "core/planners/layout.h"
#include "core/planners/link_loads.h"
#include "core/planners/passes.h"
#include "core/planners/rerun.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_most_devices = 64;
constexpr double k_most_passes_run = 20'000;
constexpr int k_most_sweeps = 16;
/// An exchange that helps by less is a rounding error.
constexpr double k_helps = 1 - 1e-6;
/// By how much links must be less busy before both placements are run.
constexpr double k_less_busy = 0.99;
/// By how much the run must be shorter, else the placement of less transfer time stays.
constexpr double k_shorter = 0.999;

/// A sweep of exchanges of devices that `may` be exchanged, each kept if it helps. False: none did.
template <class May>
bool sweep(LinkLoads& loads, std::size_t places, const May& may) {
  const std::size_t devices = loads.device_of_place().size();
  double least = loads.seconds();
  bool improved = false;
  for (std::size_t a = 0; a < places; ++a)
    for (std::size_t b = a + 1; b < devices; ++b) {
      if (!may(loads.device_of_place()[a], loads.device_of_place()[b])) continue;
      loads.exchange(a, b);
      const double seconds = loads.seconds();
      if (seconds < least * k_helps) {
        least = seconds;
        improved = true;
      } else {
        loads.exchange(a, b);
      }
    }
  return improved;
}

/// Exchanges inside nodes first, which leave what stands beside what, then any, until none helps.
void improve(const Topology& topology, LinkLoads& loads, std::size_t places) {
  const auto near = [&](DeviceId a, DeviceId b) {
    return topology.device(a).node == topology.device(b).node;
  };
  const auto any = [](DeviceId, DeviceId) { return true; };
  int left = k_most_sweeps;
  while (left-- > 0 && sweep(loads, places, near)) {
  }
  while (left-- > 0 && sweep(loads, places, any)) {
  }
}

/// The devices of the stages in their order, then those that no stage has.
std::vector<DeviceId> devices_in_order(const Plan& plan) {
  std::vector<DeviceId> devices;
  for (const Stage& stage : plan.stages)
    devices.insert(devices.end(), stage.devices.begin(), stage.devices.end());
  devices.insert(devices.end(), plan.unused_devices.begin(), plan.unused_devices.end());
  return devices;
}

/// Devices in turn for `together` stages at a time: replicas that are at the same part of their
/// stages stand side by side, so that what they say to each other stays near.
std::vector<DeviceId> interleaved(const std::vector<Stage>& stages, std::size_t together,
                                  std::size_t devices) {
  std::vector<std::tuple<std::size_t, double, std::size_t>> order;  // group, part, place
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t r = 0; r < stages[s].devices.size(); ++r)
      order.emplace_back(
          s / together,
          (static_cast<double>(r) + 0.5) / static_cast<double>(stages[s].devices.size()),
          order.size());
  std::ranges::sort(order);
  std::vector<DeviceId> device_of_place(devices);
  for (std::size_t i = 0; i < devices; ++i) {
    const std::size_t place = i < order.size() ? std::get<2>(order[i]) : i;
    device_of_place[place] = make_id<DeviceId>(i);
  }
  return device_of_place;
}

/// The devices that keep the busiest links least busy, from several starts; nothing where the
/// plan's own are hardly worse. `places`: the plan's stages on places 0, 1, ...
std::optional<std::vector<DeviceId>> less_busy(const Topology& topology,
                                               const PhasedTraffic& traffic, const Plan& plan,
                                               const Layout& layout) {
  const std::vector<DeviceId> own = devices_in_order(plan);
  const std::size_t used = places(layout);
  double least = LinkLoads(topology, traffic, own).seconds() * k_less_busy;
  std::optional<std::vector<DeviceId>> best;
  const auto try_from = [&](std::vector<DeviceId> start) {
    LinkLoads loads(topology, traffic, std::move(start));
    improve(topology, loads, used);
    if (loads.seconds() >= least) return;
    least = loads.seconds();
    best = loads.device_of_place();
  };
  try_from(own);
  for (std::size_t together = 1; together <= std::min<std::size_t>(8, layout.stages.size());
       together *= 2)
    try_from(interleaved(layout.stages, together, own.size()));
  return best;
}

Plan on_devices(const Plan& plan, const Layout& layout, const std::vector<DeviceId>& devices) {
  Plan moved = plan;
  for (std::size_t s = 0; s < layout.stages.size(); ++s)
    std::ranges::transform(layout.stages[s].devices, moved.stages[s].devices.begin(),
                           [&](DeviceId place) { return devices[place.index()]; });
  moved.unused_devices.assign(devices.begin() + static_cast<std::ptrdiff_t>(places(layout)),
                              devices.end());
  std::ranges::sort(moved.unused_devices);
  return moved;
}

bool each_on_devices_of_its_own(const Plan& plan, const Topology& topology) {
  return devices_in_order(plan).size() == topology.size();
}

}  // namespace

RatedPlan placed_for_shared_links(const Workload& workload, const PlannerOptions& options,
                                  RatedPlan rated, double longest) {
  const Topology& topology = *workload.topology;
  if (topology.size() < 3 || topology.size() > k_most_devices || !all_equally_fast(workload) ||
      !each_on_devices_of_its_own(rated.plan, topology) ||
      count_passes(rated.plan.stages, workload.training.mini_batch) > k_most_passes_run)
    return rated;
  Layout layout{rated.plan.kind, rated.plan.extra_in_flight, rated.plan.stages};
  number_places(layout);
  const PhasedTraffic traffic = phased_traffic(
      workload, StageGraph(*workload.graph, layout.stages, layout.kind, rated.plan.skip_transfer));
  const auto devices = less_busy(topology, traffic, rated.plan, layout);
  if (!devices) return rated;
  RatedPlan moved{on_devices(rated.plan, layout, *devices), 0.0};
  // Equal devices hold what the others did.
  if (!topology.homogeneous() && !prepare(workload, moved.plan, options.evaluation).memory.fits())
    return rated;
  moved.iteration_time_s = time_again(workload, moved.plan, options.evaluation).count();
  if (moved.iteration_time_s > longest) return rated;
  const Seconds before = time_on_shared_links(workload, rated.plan, options.evaluation);
  const Seconds after = time_on_shared_links(workload, moved.plan, options.evaluation);
  return after < before * k_shorter ? moved : rated;
}

}  // namespace pipegraph
