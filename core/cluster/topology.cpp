#include "core/cluster/topology.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// A device without its name and place.
Device anonymous(const Device& device) {
  Device copy = device;
  copy.name.clear();
  copy.node = 0;
  copy.socket = 0;
  return copy;
}

int count_nodes(const std::vector<Device>& devices) {
  int last = -1;
  for (const Device& device : devices) last = std::max(last, device.node);
  return last + 1;
}

}  // namespace

Topology::Topology(std::string name, std::vector<Device> devices, std::vector<Link> links,
                   std::shared_ptr<const Router> router)
    : name_(std::move(name)),
      devices_(std::move(devices)),
      links_(std::move(links)),
      router_(std::move(router)),
      nodes_(count_nodes(devices_)) {
  check(router_ != nullptr, "a topology needs a router");
}

Route Topology::route(DeviceId from, DeviceId to) const {
  check(from.valid() && from.index() < size() && to.valid() && to.index() < size(),
        "a route's ends are devices of the topology");
  Route route;
  if (from == to) return route;
  route.links = router_->links(from, to);
  for (LinkId id : route.links) route.latency += link(id).latency;
  return route;
}

BytesPerSecond Topology::bandwidth(const Route& route) const {
  BytesPerSecond slowest{std::numeric_limits<double>::infinity()};
  for (LinkId id : route.links) slowest = std::min(slowest, link(id).bandwidth);
  return slowest;
}

Seconds Topology::latency(const Route& route, double bytes) const {
  if (transfers_ == nullptr || route.links.empty()) return route.latency;
  const Seconds moving{bytes / bandwidth(route).value};
  return std::max(transfers_->time(bytes) - moving, Seconds{0});
}

Seconds Topology::transfer_time(DeviceId from, DeviceId to, double bytes) const {
  const Route crossed = route(from, to);
  return latency(crossed, bytes) + Seconds{bytes / bandwidth(crossed).value};
}

bool Topology::homogeneous() const {
  return std::ranges::all_of(devices_,
                             [first = devices_.empty() ? Device{} : anonymous(devices_[0])](
                                 const Device& device) { return anonymous(device) == first; });
}

Topology Topology::with_devices(std::vector<Device> devices) const {
  check(devices.size() == size(), "as many devices as before");
  Topology copy(name_, std::move(devices), links_, router_);
  copy.transfers_ = transfers_;
  return copy;
}

Topology Topology::with_links(std::vector<Link> links) const {
  check(links.size() == links_.size(), "as many links as before");
  Topology copy = *this;
  copy.links_ = std::move(links);
  return copy;
}

Topology Topology::with_name(std::string name) const {
  Topology copy = *this;
  copy.name_ = std::move(name);
  return copy;
}

Topology Topology::with_transfers(TransferTable measured) const {
  Topology copy = *this;
  copy.transfers_ = std::make_shared<const TransferTable>(std::move(measured));
  return copy;
}

}  // namespace pipegraph
