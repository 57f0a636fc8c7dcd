#include "core/planners/part_of_cluster.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/planners/equal_devices.h"

namespace pipegraph {
namespace {

constexpr std::size_t k_most_parts = 4;

/// Routes of the whole cluster.
class PartRouter : public Router {
 public:
  PartRouter(std::shared_ptr<const Topology> whole, std::vector<DeviceId> devices)
      : whole_(std::move(whole)), devices_(std::move(devices)) {}
  std::vector<LinkId> links(DeviceId from, DeviceId to) const override {
    return whole_->route(devices_[from.index()], devices_[to.index()]).links;
  }

 private:
  std::shared_ptr<const Topology> whole_;
  std::vector<DeviceId> devices_;
};

/// Those for which `figure` (by device) is at least `least`, the largest first.
std::vector<DeviceId> at_least(const std::vector<double>& figure, double least) {
  std::vector<DeviceId> found;
  for (std::size_t i = 0; i < figure.size(); ++i)
    if (figure[i] >= least) found.push_back(make_id<DeviceId>(i));
  std::ranges::stable_sort(found, std::greater<>{},
                           [&](DeviceId device) { return figure[device.index()]; });
  return found;
}

std::vector<double> memories(const Topology& topology) {
  std::vector<double> bytes;
  for (const Device& device : topology.devices())
    bytes.push_back(available_memory(device).as_double());
  return bytes;
}

double sum_of(const std::vector<double>& figure, const std::vector<DeviceId>& devices) {
  double sum = 0.0;
  for (const DeviceId device : devices) sum += figure[device.index()];
  return sum;
}

}  // namespace

Workload on_part_of_cluster(const Workload& workload, const std::vector<DeviceId>& devices) {
  const Topology& whole = *workload.topology;
  std::vector<Device> part;
  std::map<int, int> nodes;  // without gaps
  for (const DeviceId id : devices) {
    part.push_back(whole.device(id));
    part.back().node =
        nodes.try_emplace(part.back().node, static_cast<int>(nodes.size())).first->second;
  }
  Topology topology("part of " + whole.name(), std::move(part), whole.links(),
                    std::make_shared<PartRouter>(workload.topology, devices));
  if (whole.transfers() != nullptr) topology = topology.with_transfers(*whole.transfers());
  Workload result = workload;
  result.topology = std::make_shared<const Topology>(std::move(topology));
  return result;
}

Plan on_whole_cluster(Plan plan, const Workload& whole, const std::vector<DeviceId>& devices) {
  std::vector<char> used(whole.topology->size(), 0);
  for (Stage& stage : plan.stages)
    for (DeviceId& device : stage.devices) {
      device = devices[device.index()];
      used[device.index()] = 1;
    }
  plan.unused_devices.clear();
  for (std::size_t d = 0; d < used.size(); ++d)
    if (used[d] == 0) plan.unused_devices.push_back(make_id<DeviceId>(d));
  return plan;
}

std::vector<std::vector<DeviceId>> better_parts(const Workload& workload) {
  const std::vector<double> speed = device_speeds(workload);
  const std::vector<double> memory = memories(*workload.topology);
  std::vector<std::vector<DeviceId>> parts;
  for (const std::vector<double>* figure : {&speed, &memory})
    for (const double least : *figure) {
      std::vector<DeviceId> part = at_least(*figure, least);
      if (part.size() < speed.size() && std::ranges::find(parts, part) == parts.end())
        parts.push_back(std::move(part));
    }
  std::ranges::stable_sort(parts, std::greater<>{},
                           [&](const auto& part) { return sum_of(speed, part); });
  if (parts.size() > k_most_parts) parts.resize(k_most_parts);
  return parts;
}

std::vector<std::vector<DeviceId>> parts_of_nodes(const Topology& topology) {
  std::vector<std::vector<DeviceId>> parts;
  for (int nodes = 1; nodes < topology.nodes(); nodes *= 2) {
    std::vector<DeviceId>& part = parts.emplace_back();
    for (std::size_t d = 0; d < topology.size(); ++d)
      if (topology.devices()[d].node < nodes) part.push_back(make_id<DeviceId>(d));
  }
  return parts;
}

}  // namespace pipegraph
