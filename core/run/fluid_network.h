// Transfers that share links: first a flow's latency passes, then its bytes move at its max-min
// fair rate, which changes whenever a flow that shares one of its links, directly or through
// others, begins or ends.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "core/cluster/topology.h"
#include "core/run/route_costs.h"

namespace pipegraph {

struct FluidFlow {
  DeviceId from;
  DeviceId to;
  double bytes = 0.0;
  double extra_latencies = 0.0;  ///< of the route, beyond the first
  std::int32_t owner = 0;        ///< the caller's
};

class FluidNetwork {
 public:
  /// `topology` must outlive this.
  explicit FluidNetwork(const Topology& topology);

  /// At `now`, which never goes back.
  void start(const FluidFlow& flow, double now);
  /// When the next flow ends or begins to move; infinite without flows.
  double next();
  /// Owners of the flows that end at `now` = next(), valid until the next call.
  const std::vector<std::int32_t>& advance(double now);

 private:
  struct Flow {
    const std::vector<LinkId>* links = nullptr;  ///< with finite bandwidth
    double left = 0.0;                           ///< bytes
    double rate = 0.0;                           ///< bytes per second since `since`
    double since = 0.0;
    double lone_rate = 0.0;  ///< on idle links
    std::int32_t owner = 0;
    std::uint32_t stamp = 0;  ///< outdates events
    bool moving = false;
  };
  struct Event {
    double at = 0.0;
    std::uint32_t flow = 0;
    std::uint32_t stamp = 0;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.flow > b.flow;
    }
  };
  struct RouteUse {
    std::vector<LinkId> limited;
    bool known = false;
  };

  const std::vector<LinkId>& limited_links(DeviceId from, DeviceId to);
  void begin_moving(std::uint32_t number, double now);
  void end(std::uint32_t number, double now);
  void collect(const std::vector<LinkId>& links);
  void share(double now);
  void fix(std::uint32_t number, double rate);
  void set_end(std::uint32_t number, double now);

  const Topology& topology_;
  RouteCosts routes_;
  std::unordered_map<std::uint64_t, std::vector<LinkId>> limited_;  // only looked up
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<std::uint32_t>> users_;  ///< by link: moving flows
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<std::int32_t> ended_;
  // Of one change of rates: the flows and links it may reach.
  std::vector<std::uint32_t> flows_at_hand_;
  std::vector<LinkId> links_at_hand_;
  std::vector<char> flow_seen_, link_seen_;
  std::vector<double> room_;            ///< by link
  std::vector<std::uint32_t> unfixed_;  ///< by link
};

}  // namespace pipegraph
