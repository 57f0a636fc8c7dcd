#include "core/planners/placement.h"

#include <algorithm>

#include "core/planners/traffic.h"
#include "core/run/route_costs.h"

namespace pipegraph {
namespace {

/// Above this many exchanges a sweep, contiguous places are good enough.
constexpr std::size_t k_most_exchanges = 65'536;
constexpr int k_most_sweeps = 16;

double flow_time(RouteCosts& routes, const PlaceFlow& flow, DeviceId from, DeviceId to) {
  if (from == to) return 0.0;
  const RouteCost& cost = routes.between(from, to);
  return flow.messages * cost.route.latency.count() + flow.bytes / cost.bandwidth.value;
}

bool same_kind(Device a, const Device& b) {
  a.name = b.name;
  a.node = b.node;
  a.socket = b.socket;
  return a == b;
}

class PlaceSearch {
 public:
  PlaceSearch(const Topology& topology, const std::vector<PlaceFlow>& flows, std::size_t places)
      : topology_(topology),
        routes_(topology),
        flows_(flows),
        places_(places),
        flows_of_(topology.size()) {
    for (std::size_t i = 0; i < topology.size(); ++i) device_.push_back(make_id<DeviceId>(i));
    for (std::size_t f = 0; f < flows.size(); ++f) {
      flows_of_[static_cast<std::size_t>(flows[f].from)].push_back(f);
      flows_of_[static_cast<std::size_t>(flows[f].to)].push_back(f);
    }
  }

  /// Devices by place; those beyond the places are unused.
  const std::vector<DeviceId>& run() {
    for (int sweep = 0; sweep < k_most_sweeps; ++sweep)
      if (!improve()) break;
    return device_;
  }

 private:
  double time_of(const PlaceFlow& flow) {
    return flow_time(routes_, flow, device_[static_cast<std::size_t>(flow.from)],
                     device_[static_cast<std::size_t>(flow.to)]);
  }
  /// Time of all flows of either place.
  double time_around(std::size_t a, std::size_t b) {
    double total = 0;
    for (const std::size_t f : flows_of_[a]) total += time_of(flows_[f]);
    for (const std::size_t f : flows_of_[b])
      if (static_cast<std::size_t>(flows_[f].from) != a &&
          static_cast<std::size_t>(flows_[f].to) != a)
        total += time_of(flows_[f]);
    return total;
  }
  /// Keeps the exchange of two places' devices if it saves time.
  bool exchange(std::size_t a, std::size_t b) {
    if (!same_kind(topology_.device(device_[a]), topology_.device(device_[b]))) return false;
    const double before = time_around(a, b);
    std::swap(device_[a], device_[b]);
    if (time_around(a, b) < before * (1 - 1e-9)) return true;
    std::swap(device_[a], device_[b]);
    return false;
  }
  bool improve() {
    bool improved = false;
    for (std::size_t a = 0; a < places_; ++a)
      for (std::size_t b = a + 1; b < device_.size(); ++b) improved |= exchange(a, b);
    return improved;
  }

  const Topology& topology_;
  RouteCosts routes_;
  const std::vector<PlaceFlow>& flows_;
  std::size_t places_;
  std::vector<DeviceId> device_;
  std::vector<std::vector<std::size_t>> flows_of_;
};

}  // namespace

std::vector<Stage> place(const Workload& workload, std::vector<Stage> stages,
                         const PlannerOptions& options) {
  const StageGraph unplaced(*workload.graph, stages, options.kind, options.skip_transfer);
  const std::size_t places = unplaced.devices().size();
  const std::size_t devices = workload.topology->size();
  check(places <= devices, "a device for every place");
  if (places * devices > k_most_exchanges) return stages;
  const std::vector<PlaceFlow> flows = traffic(workload, unplaced);
  PlaceSearch search(*workload.topology, flows, places);
  const std::vector<DeviceId>& device_of_place = search.run();
  for (Stage& stage : stages)
    for (DeviceId& device : stage.devices) device = device_of_place[device.index()];
  return stages;
}

Seconds transfer_time(const Workload& workload, const StageGraph& stages) {
  double total = 0;
  RouteCosts routes(*workload.topology);
  for (const PlaceFlow& flow : traffic(workload, stages))
    total += flow_time(routes, flow, DeviceId{flow.from}, DeviceId{flow.to});
  return Seconds{total};
}

}  // namespace pipegraph
