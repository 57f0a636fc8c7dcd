// How busy placed stages keep the links of a cluster: what a placement costs where many transfers
// want the same link, which their times on an idle cluster do not show.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/cluster/topology.h"
#include "core/planners/traffic.h"

namespace pipegraph {

class LinkLoads {
 public:
  /// By place its device, those of no place behind: all devices of `topology`, which must outlive
  /// this.
  LinkLoads(const Topology& topology, const PhasedTraffic& traffic, std::vector<DeviceId> devices);

  /// Seconds that the busiest links are busy in a mini-batch with messages, plus those with
  /// all-reduces, which come after them. A norm stands for the largest, so that every link counts a
  /// little.
  double seconds() const;

  /// Exchanges the devices of two places.
  void exchange(std::size_t a, std::size_t b);

  const std::vector<DeviceId>& device_of_place() const { return devices_; }

 private:
  struct Flow {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t phase = 0;
    double bytes = 0.0;
  };
  void add_flows(const std::vector<PlaceFlow>& flows, std::size_t phase);
  void add(const Flow& flow, double sign);
  void add_around(std::size_t a, std::size_t b, double sign);
  const std::vector<LinkId>& links(DeviceId from, DeviceId to);

  const Topology& topology_;
  std::vector<DeviceId> devices_;
  std::vector<Flow> flows_;
  std::vector<std::vector<std::size_t>> flows_of_;  ///< by place
  std::vector<std::vector<LinkId>> routes_;         ///< by pair of devices, once asked for
  std::vector<double> per_byte_;                    ///< by link: seconds
  std::array<std::vector<double>, 2> busy_;         ///< by phase and link: seconds
};

}  // namespace pipegraph
