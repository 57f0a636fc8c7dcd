// Where the tensors of a pass go: its messages and the passes on its own device that use them,
// worked out once per shape of micro-batch and not once per micro-batch.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/program/flows.h"
#include "core/program/program.h"
#include "core/program/task_slots.h"

namespace pipegraph {

/// A pass that uses a message or a local tensor.
struct Consumer {
  StageId stage;
  std::int32_t replica = 0;
  std::int32_t first = 0;  ///< of its micro-batch, counted from the producer's micro-batch
  auto operator<=>(const Consumer&) const = default;
};

/// One message of a pass: a maximal contiguous range of samples that one device needs.
struct Message {
  DeviceId to;
  std::int32_t channel = 0;  ///< counts directed pairs of devices
  LaneId send_lane, recv_lane;
  MicroBatch samples;  ///< counted from the producer's micro-batch
  PayloadId payload;
  Bytes bytes;
  std::uint32_t consumers_begin = 0, consumers_end = 0;
};

struct HandOver {
  std::span<const Message> messages;    ///< by (device, first sample)
  std::span<const Consumer> on_device;  ///< passes on the producer's own device
};

/// Which lanes messages run on.
class LaneChooser {
 public:
  /// `overlaps` by device: false = everything on the compute lane.
  LaneChooser(ProgramBuilder& builder, std::vector<char> overlaps)
      : builder_(builder), overlaps_(std::move(overlaps)) {}
  /// `lane`, or the device's compute lane if it has no other.
  LaneId choose(const Lane& lane) const {
    if (overlaps_[lane.device.index()] != 0) return builder_.lane(lane);
    return builder_.lane({lane.device, LaneKind::Compute, {}, {}});
  }

 private:
  ProgramBuilder& builder_;
  std::vector<char> overlaps_;
};

class HandOvers {
 public:
  /// All must outlive this.
  HandOvers(const ComputationGraph& graph, const StageGraph& stages, const TaskSlots& slots,
            ProgramBuilder& builder, const LaneChooser& lanes);

  /// Of the pass of `stage` in `direction` on micro-batch `micro_batch` and its replica's share,
  /// which is not empty. The spans stay valid until the next call.
  HandOver of(StageId stage, Direction direction, std::int32_t micro_batch, std::int32_t replica);
  std::span<const Consumer> consumers_of(const Message& message) const {
    return std::span(consumers_)
        .subspan(message.consumers_begin, message.consumers_end - message.consumers_begin);
  }

 private:
  /// Micro-batches of one stage and direction that are routed alike: those equal modulo `period`,
  /// except from `irregular` on (a ragged end nearby), each of which is a shape of its own.
  struct Shapes {
    std::size_t begin = 0;  ///< into hand_overs_
    std::int32_t period = 1;
    std::int32_t irregular = 0;
    std::int32_t count = 0;  ///< per replica
    std::int32_t of(std::int32_t micro_batch) const {
      return micro_batch < irregular ? micro_batch % period : period + (micro_batch - irregular);
    }
  };
  struct Stored {
    bool known = false;
    std::uint32_t messages_begin = 0, messages_end = 0;
    std::uint32_t on_device_begin = 0, on_device_end = 0;
  };
  /// What one share of a consuming stage needs of a pass.
  struct Demand {
    DeviceId device;
    MicroBatch samples;
    const StageFlow* flow = nullptr;
    Consumer consumer;
  };

  Shapes shapes_of(StageId stage, Direction direction) const;
  Stored make(StageId stage, Direction direction, std::int32_t micro_batch, std::int32_t replica);
  std::vector<Demand> demands(StageId stage, Direction direction, std::int32_t micro_batch,
                              std::int32_t replica) const;
  void add_message(DeviceId from, MicroBatch samples, std::int32_t origin,
                   std::span<const Demand> demands);
  Payload payload_of(MicroBatch samples, std::span<const Demand> demands) const;
  void add_consumers(std::span<const Demand> demands);
  std::int32_t channel(DeviceId from, DeviceId to);

  const ComputationGraph& graph_;
  const StageGraph& stages_;
  const TaskSlots& slots_;
  ProgramBuilder& builder_;
  const LaneChooser& lanes_;
  StageFlows flows_;
  std::array<std::vector<Shapes>, k_directions> shapes_;
  std::vector<Stored> hand_overs_;
  std::vector<Message> messages_;
  std::vector<Consumer> consumers_;
  std::unordered_map<std::uint64_t, std::int32_t> channels_;
};

}  // namespace pipegraph
