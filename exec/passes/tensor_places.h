// Where the tensors that passes of one device read and write lie in its arena: own ones, those of
// other stages in receive slots or handed over on the device, gradients on their way.
#pragma once

#include <unordered_map>
#include <vector>

#include "exec/memory/arena.h"
#include "exec/passes/pass_tables.h"
#include "exec/passes/place.h"
#include "exec/passes/stage_homes.h"

namespace pipegraph {

/// Samples of a tensor that lie side by side.
struct Segment {
  MicroBatch samples;
  Place at;  ///< of the first
};

/// What one stage has added up of a tensor's gradient, in the order of the samples.
struct Contribution {
  OperatorId first_reader;  ///< the least of the operators behind it
  std::vector<Segment> segments;
};

/// Where a pass has to put samples of a tensor, or of its gradient.
struct Delivery {
  OperatorId tensor;
  Segment to;
};

class TensorPlaces {
 public:
  /// `tables` and `arena` (of all lifetimes of the device) must outlive this.
  TensorPlaces(const PassTables& tables, DeviceId device, const ArenaLayout& arena);

  std::span<const InstructionId> instructions() const { return tables_.model().order.on(device_); }

  /// Of an own operator, as its forward writes it.
  Place output(InstructionId forward, OperatorId op) const;
  Place internal(InstructionId forward, OperatorId op) const;
  /// The same as any part of the backward finds it; what is recomputed lies in its workspace.
  Place output_again(InstructionId backward, OperatorId op) const;
  Place internal_again(InstructionId backward, OperatorId op) const;

  /// Of the gradient of an own operator with parameters that the stage itself reads, from a
  /// BackwardInput on.
  Place inner_gradient(InstructionId backward_input, OperatorId op) const;

  /// Samples of another stage's tensor that a forward uses, until the last backward part where the
  /// stage keeps it.
  std::vector<Segment> outside(InstructionId forward, OperatorId tensor) const;
  /// Gradients of a tensor that other stages have handed to a Backward or BackwardInput, by
  /// first_reader.
  std::vector<Contribution> contributions(InstructionId backward, OperatorId tensor) const;

  /// Copies that a forward makes for others: what is not kept, or not for long enough.
  std::vector<Delivery> forward_deliveries(InstructionId forward) const;
  /// Gradients that a Backward or BackwardInput makes for others.
  std::vector<Delivery> backward_deliveries(InstructionId backward) const;

  /// What a send reads or a recv fills, in the payload's order; neighbours are joined.
  std::vector<Stretch> message(InstructionId half) const;

 private:
  const Instruction& at(InstructionId id) const { return tables_.program().at(id); }
  Bytes bytes(OperatorId tensor, std::int32_t samples) const {
    return tables_.bytes(tensor, samples);
  }
  const StageHomes& homes(StageId stage) const { return homes_.at(stage); }
  const StageFlow* flow(StageId from, StageId to, Direction direction) const;
  Place find(const ArenaLayout::Key& key) const;
  Place in_block(Home home, InstructionId forward, InstructionId workspace_of) const;

  bool hands_over(InstructionId source, InstructionId pass, OperatorId tensor) const;
  void add_received(InstructionId recv, OperatorId tensor, std::vector<Segment>& segments) const;
  std::vector<Segment> gradient_segments(InstructionId backward, InstructionId source,
                                         OperatorId tensor) const;
  OperatorId first_reader(OperatorId tensor, StageId behind) const;
  InstructionId pass_of(InstructionId send) const;
  bool sent_from_buffer(InstructionId send, OperatorId tensor) const;
  std::vector<Segment> as_kept(InstructionId forward, OperatorId tensor) const;
  void deliver_to_send(InstructionId send, std::vector<Delivery>& deliveries) const;
  void deliver_gradients_here(InstructionId backward, InstructionId user,
                              std::vector<Delivery>& deliveries) const;
  std::span<const InstructionId> followers(InstructionId pass) const;

  const PassTables& tables_;
  DeviceId device_;
  const ArenaLayout& arena_;
  std::unordered_map<StageId, StageHomes> homes_;
  /// By place of a pass: its sends, and passes of other stages on the device that wait for it.
  std::vector<std::vector<InstructionId>> followers_;
};

/// The part of `segments` that lies in `samples`, by sample; neighbours in memory are joined.
/// `per_sample` bytes each.
std::vector<Segment> cut(std::vector<Segment> segments, MicroBatch samples, Bytes per_sample);

}  // namespace pipegraph
