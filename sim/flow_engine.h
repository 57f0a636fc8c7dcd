// SimGrid reduced to what we need of it: flows over the topology that share links, advanced event
// by event. No actors: our dispatcher owns dependencies, SimGrid owns shared links.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/cluster/topology.h"
#include "sim/network_model.h"

namespace pipegraph {

struct FlowStart {
  DeviceId from;
  DeviceId to;
  double bytes = 0.0;
  std::uint32_t flow = 0;  ///< number under which the end is reported; one flow in progress each
};

/// At most one per process: SimGrid's clock never goes back.
class FlowEngine {
 public:
  /// `largest_bytes`: of any flow to come. `topology` must outlive this.
  FlowEngine(const Topology& topology, NetworkModel model, double largest_bytes);
  FlowEngine(const FlowEngine&) = delete;
  FlowEngine& operator=(const FlowEngine&) = delete;
  ~FlowEngine();

  double clock() const;
  std::size_t active() const;
  /// Brings the clock to `now`, which must not be earlier; only while nothing is active.
  void idle_until(double now);
  /// Starts at the clock. The ideal network moves its bytes at once, the caller lets latency pass;
  /// the others add the route's latency, and round bytes to whole ones.
  void start(const FlowStart& flow);
  /// Advances to the next end of a flow or to `date` (possibly infinite), whichever is first; the
  /// flows that ended, valid until the next call. Some must be active.
  std::span<const std::uint32_t> advance(double date);
  const NetworkFactors& factors() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pipegraph
