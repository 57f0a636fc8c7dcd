// The outgoing half of TensorPlaces: what passes leave for others, and what messages are made of.
#include <algorithm>

#include "core/base/errors.h"
#include "exec/passes/tensor_places.h"

namespace pipegraph {

namespace {

void append(std::vector<Stretch>& stretches, Stretch next) {
  if (next.bytes.count == 0) return;
  if (!stretches.empty() && stretches.back().begin + stretches.back().bytes == next.begin)
    stretches.back().bytes += next.bytes;
  else
    stretches.push_back(next);
}

}  // namespace

InstructionId TensorPlaces::pass_of(InstructionId send) const {
  for (const InstructionId wait : tables_.program().waits_on(send))
    if (is_pass(at(wait).kind) && at(wait).stage == at(send).stage) return wait;
  return {};
}

/// As the memory function counts it.
bool TensorPlaces::sent_from_buffer(InstructionId send, OperatorId tensor) const {
  if (at(send).gradients) return true;
  const CausalOrder& order = tables_.model().order;
  const InstructionId last = tables_.weight_of(pass_of(send));
  return !tables_.model().footprints[at(send).stage.index()].keeps(tensor) ||
         order.latest_end(send) > order.latest_end(last);
}

/// Any tensor that the stage of `forward` has, own or not, over the forward's samples.
std::vector<Segment> TensorPlaces::as_kept(InstructionId forward, OperatorId tensor) const {
  if (tables_.model().stages.stage_of(tensor) != at(forward).stage) return outside(forward, tensor);
  return {{at(forward).samples, output(forward, tensor)}};
}

void TensorPlaces::deliver_to_send(InstructionId send, std::vector<Delivery>& deliveries) const {
  if (!at(send).payload.valid()) return;
  Place buffer = find({pass_of(send), MemoryPart::SendBuffers, {}, -1, send});
  for (const PayloadPart& part : tables_.program().payloads()[at(send).payload.index()]) {
    if (!sent_from_buffer(send, part.tensor)) continue;
    check(buffer.valid(), "what is sent has a buffer or is kept");
    const MicroBatch samples{at(send).samples.first + part.samples.first,
                             at(send).samples.first + part.samples.last};
    deliveries.push_back({part.tensor, {samples, buffer}});
    buffer = buffer + bytes(part.tensor, part.samples.samples());
  }
}

std::vector<Delivery> TensorPlaces::forward_deliveries(InstructionId forward) const {
  std::vector<Delivery> deliveries;
  for (const OperatorId tensor : homes(at(forward).stage).read_here()) {
    if (tables_.model().stages.stage_of(tensor) == at(forward).stage) continue;  // lies there
    const Place apart = find({forward, MemoryPart::Activations, tensor, -1, {}});
    if (apart.valid()) deliveries.push_back({tensor, {at(forward).samples, apart}});
  }
  for (const InstructionId follower : followers(forward))
    if (at(follower).kind == InstructionKind::Send) deliver_to_send(follower, deliveries);
  return deliveries;
}

void TensorPlaces::deliver_gradients_here(InstructionId backward, InstructionId user,
                                          std::vector<Delivery>& deliveries) const {
  const StageFlow* used = flow(at(backward).stage, at(user).stage, Direction::Backward);
  if (used == nullptr) return;
  const MicroBatch samples = intersection(at(backward).samples, at(user).samples);
  if (samples.empty()) return;
  Place buffer = find({backward, MemoryPart::SendBuffers, {}, -1, tables_.weight_of(user)});
  for (const OperatorId tensor : used->tensors) {
    deliveries.push_back({tensor, {samples, buffer}});
    buffer = buffer + bytes(tensor, samples.samples());
  }
}

std::vector<Delivery> TensorPlaces::backward_deliveries(InstructionId backward) const {
  std::vector<Delivery> deliveries;
  for (const InstructionId follower : followers(backward)) {
    if (at(follower).kind == InstructionKind::Send)
      deliver_to_send(follower, deliveries);
    else
      deliver_gradients_here(backward, follower, deliveries);
  }
  return deliveries;
}

std::vector<Stretch> TensorPlaces::message(InstructionId half) const {
  const Instruction& i = at(half);
  std::vector<Stretch> stretches;
  if (!i.payload.valid()) return stretches;
  const bool sends = i.kind == InstructionKind::Send;
  if (i.gradients) {
    const ArenaLayout::Key key =
        sends ? ArenaLayout::Key{pass_of(half), MemoryPart::SendBuffers, {}, -1, half}
              : ArenaLayout::Key{half, MemoryPart::ReceiveSlots, {}, -1, {}};
    append(stretches, {find(key), i.bytes});
    return stretches;
  }
  Place buffer = sends ? find({pass_of(half), MemoryPart::SendBuffers, {}, -1, half}) : Place();
  for (const PayloadPart& part : tables_.program().payloads()[i.payload.index()]) {
    const MicroBatch samples{i.samples.first + part.samples.first,
                             i.samples.first + part.samples.last};
    std::vector<Segment> segments;
    if (!sends) {
      add_received(half, part.tensor, segments);
      segments = cut(std::move(segments), samples, bytes(part.tensor, 1));
    } else if (sent_from_buffer(half, part.tensor)) {
      segments.push_back({samples, buffer});
      buffer = buffer + bytes(part.tensor, samples.samples());
    } else {
      segments = cut(as_kept(pass_of(half), part.tensor), samples, bytes(part.tensor, 1));
    }
    for (const Segment& segment : segments)
      append(stretches, {segment.at, bytes(part.tensor, segment.samples.samples())});
  }
  return stretches;
}

}  // namespace pipegraph
