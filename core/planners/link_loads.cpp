#include "core/planners/link_loads.h"

#include <cmath>
#include <utility>

namespace pipegraph {
namespace {

/// Nearly the largest: sixteen links as busy as one count 1.4 times as much as that.
double norm_of_eight(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    const double square = value * value;
    sum += square * square * square * square;
  }
  return std::pow(sum, 1.0 / 8.0);
}

}  // namespace

LinkLoads::LinkLoads(const Topology& topology, const PhasedTraffic& traffic,
                     std::vector<DeviceId> devices)
    : topology_(topology),
      devices_(std::move(devices)),
      flows_of_(devices_.size()),
      routes_(topology.size() * topology.size()) {
  for (const Link& link : topology.links()) per_byte_.push_back(1.0 / link.bandwidth.value);
  for (std::vector<double>& busy : busy_) busy.assign(per_byte_.size(), 0.0);
  add_flows(traffic.messages, 0);
  add_flows(traffic.reductions, 1);
}

void LinkLoads::add_flows(const std::vector<PlaceFlow>& flows, std::size_t phase) {
  for (const PlaceFlow& flow : flows) {
    const auto from = static_cast<std::size_t>(flow.from);
    const auto to = static_cast<std::size_t>(flow.to);
    flows_of_[from].push_back(flows_.size());
    flows_of_[to].push_back(flows_.size());
    flows_.push_back({from, to, phase, flow.bytes});
    add(flows_.back(), 1.0);
  }
}

const std::vector<LinkId>& LinkLoads::links(DeviceId from, DeviceId to) {
  std::vector<LinkId>& known = routes_[from.index() * topology_.size() + to.index()];
  if (known.empty()) known = topology_.route(from, to).links;
  return known;
}

void LinkLoads::add(const Flow& flow, double sign) {
  for (const LinkId link : links(devices_[flow.from], devices_[flow.to]))
    busy_[flow.phase][link.index()] += sign * flow.bytes * per_byte_[link.index()];
}

/// Every flow of either place, once.
void LinkLoads::add_around(std::size_t a, std::size_t b, double sign) {
  for (const std::size_t f : flows_of_[a]) add(flows_[f], sign);
  for (const std::size_t f : flows_of_[b])
    if (flows_[f].from != a && flows_[f].to != a) add(flows_[f], sign);
}

double LinkLoads::seconds() const { return norm_of_eight(busy_[0]) + norm_of_eight(busy_[1]); }

void LinkLoads::exchange(std::size_t a, std::size_t b) {
  add_around(a, b, -1.0);
  std::swap(devices_[a], devices_[b]);
  add_around(a, b, 1.0);
}

}  // namespace pipegraph
