// The topology as SimGrid's platform: one flat zone whose routes come from the topology's own
// router, so that nothing grows with the square of the devices.
#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "core/cluster/topology.h"
#include "sim/network_model.h"

namespace pipegraph {

/// Hosts by device id. Names are numbers: users never see them.
struct Platform {
  std::vector<simgrid::s4u::Host*> hosts;
  simgrid::s4u::NetZone* zone = nullptr;  ///< owned by the engine
};

/// Options of the engine for a network model; to be given to its constructor.
std::vector<std::string> engine_options(NetworkModel model);

/// To be called once per process, after the engine was made. `topology` must live as long as the
/// engine. `scale` multiplies every bandwidth (and must multiply every size). On the ideal network
/// each route has latency 1, to be replaced by a callback; elsewhere the topology's.
Platform build_platform(const Topology& topology, NetworkModel model, double scale);

/// The factors in force, from SimGrid's own configuration; after the platform was built.
NetworkFactors effective_factors(NetworkModel model);

}  // namespace pipegraph
