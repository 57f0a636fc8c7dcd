// What the devices of a stage graph say to each other in one mini-batch, before they are placed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// All messages from one place to another.
struct PlaceFlow {
  std::int32_t from = 0;  ///< a place: the value of a DeviceId in the unplaced stages
  std::int32_t to = 0;
  double messages = 0.0;
  double bytes = 0.0;
};

/// Who is next in the ring of a stage's all-reduce.
enum class RingOrder : std::uint8_t {
  OfTheStage,     ///< the next of its devices: for places, whose nodes nobody knows yet
  NodeAfterNode,  ///< as rings run: of devices
};

/// Activations, gradients and ring all-reduces of one mini-batch, one flow per pair, by (from, to).
std::vector<PlaceFlow> traffic(const Workload& workload, const StageGraph& stages,
                               RingOrder order = RingOrder::OfTheStage);

/// The same, what comes with the passes apart from what comes after them.
struct PhasedTraffic {
  std::vector<PlaceFlow> messages;    ///< activations and gradients of activations
  std::vector<PlaceFlow> reductions;  ///< of stages' parameters
};
PhasedTraffic phased_traffic(const Workload& workload, const StageGraph& stages);

}  // namespace pipegraph
