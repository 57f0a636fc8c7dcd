// Transfers and steps of collectives as flows: first their latency passes, then their bytes move. A
// flow that shares no link with moving ones is an event of our own queue; when another wants one of
// its links, what remains of it moves to SimGrid.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/cluster/topology.h"
#include "sim/flow_engine.h"
#include "sim/simulate.h"
#include "sim/timed_events.h"

namespace pipegraph {

/// Whose flow it is: a transfer's send instruction, or a step of a running collective.
struct FlowOwner {
  std::int32_t subject = 0;  ///< instruction id, or number of the running collective
  std::int32_t step = -1;    ///< -1: transfer
};

struct FlowRequest {
  DeviceId from;
  DeviceId to;
  double bytes = 0.0;
  double extra_latencies = 0.0;
  FlowOwner owner;
};

struct EndedFlow {
  FlowOwner owner;
  double start = 0.0;
};

struct FlowNetworkOptions {
  NetworkModel model = NetworkModel::Ideal;
  TransferMode mode = TransferMode::LoneAsTimers;
  double largest_bytes = 0.0;  ///< of any flow
};

class FlowNetwork {
 public:
  /// `topology` and `events` must outlive this.
  FlowNetwork(const Topology& topology, TimedEvents& events, const FlowNetworkOptions& options);

  void start(const FlowRequest& request, double now);
  /// The flow of an event of the queue if it ends there; nothing if the event is outdated or the
  /// flow only begins to move there.
  std::optional<EndedFlow> take(const TimedEvent& event, double now);

  /// Flows that SimGrid carries.
  bool shared() const { return engine_ && engine_->active() > 0; }
  /// Lets SimGrid advance to the next end of a flow, at most to `date`; its clock then. shared()
  /// must hold. ended() are the flows that ended there.
  double advance(double date);
  const std::vector<EndedFlow>& ended() const { return ended_; }

  const std::vector<double>& link_bytes() const { return link_bytes_; }
  const FlowCounts& counts() const { return counts_; }
  NetworkFactors factors();

 private:
  struct RouteUse {
    std::vector<LinkId> limited;  ///< those with finite bandwidth
    Route route;
    double bandwidth = 0.0;
  };
  /// Latent: its latency passes, it loads nothing. Whole: latency and bytes in one event, as long
  /// as no other wants its links; Parting: so near its end that it has left them. Shared: in
  /// SimGrid.
  enum class State : std::uint8_t { Free, Latent, Whole, Parting, Shared };
  struct Flow {
    const RouteUse* route = nullptr;
    FlowRequest request;
    double start = 0.0;
    double moves = 0.0;  ///< when its latency has passed
    double end = 0.0;    ///< if nothing shares its links
    State state = State::Free;
    std::uint32_t stamp = 0;  ///< changes with every use of the number
  };
  /// Who uses a link: one whole flow, or shared ones.
  struct LinkUse {
    std::int32_t whole = -1;
    std::uint32_t shared = 0;
  };

  const RouteUse& route(DeviceId from, DeviceId to);
  std::uint32_t allocate(const FlowRequest& request, double now);
  double latency(const Flow& flow);
  std::span<const LinkId> loaded_links(const Flow& flow) const;
  bool alone(const Flow& flow, double now);
  void begin_latent(std::uint32_t number);
  void begin_whole(std::uint32_t number);
  void begin_moving(std::uint32_t number, double now);
  void part_others(const Flow& flow, double now);
  void part(std::uint32_t number, double now);
  void move_to_engine(std::uint32_t number, double bytes, double now);
  void leave_links(const Flow& flow);
  EndedFlow finish(std::uint32_t number);
  FlowEngine& engine();

  const Topology& topology_;
  TimedEvents& events_;
  FlowNetworkOptions options_;
  std::optional<FlowEngine> engine_;                    ///< made for the first flow that needs it
  std::unordered_map<std::uint64_t, RouteUse> routes_;  // only looked up
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<LinkUse> uses_;
  std::vector<double> link_bytes_;
  std::vector<EndedFlow> ended_;
  FlowCounts counts_;
};

}  // namespace pipegraph
