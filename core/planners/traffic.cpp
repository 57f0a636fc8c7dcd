#include "core/planners/traffic.h"

#include <algorithm>
#include <map>

#include "core/collective/collective_time.h"
#include "core/collective/ring_phase.h"
#include "core/stage/parameter_copies.h"
#include "core/stage/parameters.h"
#include "core/stage/share_partition.h"

namespace pipegraph {
namespace {

class Flows {
 public:
  void add(DeviceId from, DeviceId to, double messages, double bytes) {
    if (from == to) return;
    PlaceFlow& flow =
        flows_.try_emplace({from.value, to.value}, PlaceFlow{from.value, to.value}).first->second;
    flow.messages += messages;
    flow.bytes += bytes;
  }
  std::vector<PlaceFlow> take() const {
    std::vector<PlaceFlow> result;
    for (const auto& [pair, flow] : flows_) result.push_back(flow);
    return result;
  }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, PlaceFlow> flows_;
};

/// What has to come back against an edge, per sample.
Bytes gradient_bytes(const ComputationGraph& graph, const StageEdge& edge) {
  Bytes total;
  for (const OperatorId tensor : edge.tensors)
    if (graph.at(tensor).output_needs_gradient) total += graph.at(tensor).output;
  return total;
}

/// Activations and gradients of one edge, counted over its first samples and scaled to all.
void add_edge(const Workload& workload, const StageGraph& stages, const StageEdge& edge,
              Flows& flows) {
  const std::int32_t mini_batch = workload.training.mini_batch;
  const Stage& from = stages.at(edge.from);
  const Stage& to = stages.at(edge.to);
  const SharePartition producers(mini_batch, from.micro_batch, from.replicas());
  const SharePartition consumers(mini_batch, to.micro_batch, to.replicas());
  const std::int32_t window = std::min(mini_batch, std::max(from.micro_batch, to.micro_batch));
  const double scale = static_cast<double>(mini_batch) / window;
  const double forward = edge.bytes.as_double() * scale;
  const double backward = gradient_bytes(*workload.graph, edge).as_double() * scale;
  consumers.for_each_overlapping({0, window}, [&](std::int32_t index, std::int32_t q) {
    const MicroBatch read = intersection(consumers.share(index, q), {0, window});
    const DeviceId reader = to.devices[static_cast<std::size_t>(q)];
    producers.for_each_overlapping(read, [&](std::int32_t i, std::int32_t r) {
      const DeviceId writer = from.devices[static_cast<std::size_t>(r)];
      const double samples = intersection(producers.share(i, r), read).samples();
      flows.add(writer, reader, scale, forward * samples);
      flows.add(reader, writer, scale, backward * samples);
    });
  });
}

std::vector<DeviceId> in_ring_order(const Workload& workload, const Stage& stage, RingOrder order) {
  if (order == RingOrder::OfTheStage) return stage.devices;
  std::vector<DeviceId> devices;
  for (const std::int32_t member :
       ring_order(collective_members(stage.devices, *workload.topology)))
    devices.push_back(stage.devices[static_cast<std::size_t>(member)]);
  return devices;
}

/// A ring all-reduce of d devices: 2 (d - 1) messages of 1/d of the gradients to the next.
void add_reduction(const Workload& workload, const Stage& stage, RingOrder order, Flows& flows) {
  const std::size_t devices = stage.devices.size();
  if (devices < 2) return;
  const double steps = 2.0 * static_cast<double>(devices - 1);
  const double part =
      reduced_bytes(workload.training, parameters_of(*workload.graph, stage)).as_double() /
      static_cast<double>(devices);
  if (part <= 0) return;
  const std::vector<DeviceId> ring = in_ring_order(workload, stage, order);
  for (std::size_t r = 0; r < devices; ++r)
    flows.add(ring[r], ring[(r + 1) % devices], steps, steps * part);
}

void add_edges(const Workload& workload, const StageGraph& stages, Flows& flows) {
  for (const StageEdge& edge : stages.transfers()) add_edge(workload, stages, edge, flows);
}

void add_reductions(const Workload& workload, const StageGraph& stages, RingOrder order,
                    Flows& flows) {
  for (const Stage& stage : stages.stages()) add_reduction(workload, stage, order, flows);
}

}  // namespace

std::vector<PlaceFlow> traffic(const Workload& workload, const StageGraph& stages,
                               RingOrder order) {
  Flows flows;
  add_edges(workload, stages, flows);
  add_reductions(workload, stages, order, flows);
  return flows.take();
}

PhasedTraffic phased_traffic(const Workload& workload, const StageGraph& stages) {
  Flows messages;
  Flows reductions;
  add_edges(workload, stages, messages);
  add_reductions(workload, stages, RingOrder::OfTheStage, reductions);
  return {messages.take(), reductions.take()};
}

}  // namespace pipegraph
