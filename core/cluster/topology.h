// A cluster: devices, directed links, and the route between any two devices. Routes come from a
// shape's own O(1) function, so nothing here grows with the square of the devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/cluster/device.h"
#include "core/cluster/transfer_table.h"

namespace pipegraph {

/// A directed link; two directions of a cable are two links. Infinite bandwidth = never a limit.
struct Link {
  std::string name;
  BytesPerSecond bandwidth;
  Seconds latency{0};
  bool operator==(const Link&) const = default;
};

/// Links in the order a message crosses them. Empty from a device to itself.
struct Route {
  std::vector<LinkId> links;
  Seconds latency{0};  ///< sum over the links
  bool operator==(const Route&) const = default;
};

/// What a shape provides: which links a message crosses.
class Router {
 public:
  virtual ~Router() = default;
  /// Links from one device to another, `from` != `to`, in the order they are crossed. The time of a
  /// call depends on the links crossed only, never on the size of the cluster.
  virtual std::vector<LinkId> links(DeviceId from, DeviceId to) const = 0;
};

class Topology {
 public:
  Topology() = default;
  /// `router` must know every device of `devices` and name only links of `links`. Device::node
  /// counts from 0 without gaps.
  Topology(std::string name, std::vector<Device> devices, std::vector<Link> links,
           std::shared_ptr<const Router> router);

  const std::string& name() const { return name_; }
  const std::vector<Device>& devices() const { return devices_; }
  const Device& device(DeviceId id) const { return devices_[id.index()]; }
  std::size_t size() const { return devices_.size(); }
  const std::vector<Link>& links() const { return links_; }
  const Link& link(LinkId id) const { return links_[id.index()]; }
  int nodes() const { return nodes_; }

  /// Empty from a device to itself.
  Route route(DeviceId from, DeviceId to) const;
  /// Bandwidth of the route's slowest link; infinite for an empty route.
  BytesPerSecond bandwidth(const Route& route) const;
  /// What passes before a message's bytes move: the route's latency. With measured transfers what
  /// they take beyond bytes / bandwidth, which is all of it where the bandwidth is infinite.
  Seconds latency(const Route& route, double bytes) const;
  /// latency + bytes / bandwidth on an otherwise idle cluster.
  Seconds transfer_time(DeviceId from, DeviceId to, double bytes) const;
  /// Whether all devices are equal in everything but name and place.
  bool homogeneous() const;
  /// The same links and routes with other devices (as many as before), e.g. some of them slower.
  Topology with_devices(std::vector<Device> devices) const;
  /// The same devices and routes over other links (as many as before), e.g. some of them slower.
  Topology with_links(std::vector<Link> links) const;
  Topology with_name(std::string name) const;
  /// The same cluster where a message between two devices takes, alone, what `measured` says, but
  /// no less than its bytes need on the slowest link.
  Topology with_transfers(TransferTable measured) const;
  /// Null unless transfers were measured.
  const TransferTable* transfers() const { return transfers_.get(); }

 private:
  std::string name_;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::shared_ptr<const Router> router_;
  std::shared_ptr<const TransferTable> transfers_;
  int nodes_ = 0;
};

}  // namespace pipegraph
