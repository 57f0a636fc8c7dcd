#include "exec/passes/tensor_places.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {

namespace {

bool contains(const std::vector<OperatorId>& sorted, OperatorId tensor) {
  return std::binary_search(sorted.begin(), sorted.end(), tensor);
}
bool begins_backward(InstructionKind kind) {
  return kind == InstructionKind::Backward || kind == InstructionKind::BackwardInput;
}
Bytes times(Bytes per_sample, std::int32_t samples) {
  return per_sample * static_cast<std::uint64_t>(samples);
}
/// Samples of a payload's part, counted from the start of the mini-batch.
MicroBatch samples_of(const Instruction& half, const PayloadPart& part) {
  return {half.samples.first + part.samples.first, half.samples.first + part.samples.last};
}

}  // namespace

std::vector<Segment> cut(std::vector<Segment> segments, MicroBatch samples, Bytes per_sample) {
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.samples < b.samples; });
  std::vector<Segment> result;
  for (const Segment& segment : segments) {
    const MicroBatch inside = intersection(segment.samples, samples);
    if (inside.empty()) continue;
    const Place at = segment.at + times(per_sample, inside.first - segment.samples.first);
    if (!result.empty()) {
      Segment& last = result.back();
      if (last.samples.last == inside.first &&
          last.at + times(per_sample, last.samples.samples()) == at) {
        last.samples.last = inside.last;
        continue;
      }
    }
    result.push_back({inside, at});
  }
  return result;
}

TensorPlaces::TensorPlaces(const PassTables& tables, DeviceId device, const ArenaLayout& arena)
    : tables_(tables), device_(device), arena_(arena), followers_(instructions().size()) {
  for (const Resident& resident : tables.model().residents[device.index()])
    homes_.try_emplace(resident.stage, tables, resident.stage, device);
  const auto follow = [&](InstructionId pass, InstructionId follower) {
    followers_[tables_.model().order.place(pass)].push_back(follower);
  };
  for (const InstructionId id : instructions()) {
    if (at(id).kind == InstructionKind::Send && pass_of(id).valid()) follow(pass_of(id), id);
    if (!is_pass(at(id).kind)) continue;
    for (const InstructionId wait : tables.program().waits_on(id))
      if (is_pass(at(wait).kind) && at(wait).stage != at(id).stage) follow(wait, id);
  }
}

std::span<const InstructionId> TensorPlaces::followers(InstructionId pass) const {
  return followers_[tables_.model().order.place(pass)];
}

const StageFlow* TensorPlaces::flow(StageId from, StageId to, Direction direction) const {
  for (const StageFlow& flow : tables_.model().flows.from(from, direction))
    if (flow.consumer == to) return &flow;
  return nullptr;
}

Place TensorPlaces::find(const ArenaLayout::Key& key) const {
  const auto offset = arena_.find(key);
  return offset ? Place(Area::Arena, *offset) : Place();
}

Place TensorPlaces::in_block(Home home, InstructionId forward, InstructionId workspace_of) const {
  const Place block = home.block == Block::Kept
                          ? find({forward, MemoryPart::Activations, {}, -1, {}})
                          : find({workspace_of, MemoryPart::Workspace, {}, -1, {}});
  check(block.valid(), "what a pass makes has a place");
  return block + times(home.before, at(forward).samples.samples());
}

Place TensorPlaces::output(InstructionId forward, OperatorId op) const {
  const StageHomes& own = homes(at(forward).stage);
  const Home home = own.output(op);
  if (home.block != Block::Apart) return in_block(home, forward, forward);
  const Place apart = find({forward, MemoryPart::Activations, op, -1, {}});
  return apart.valid() ? apart : in_block(own.recomputed_output(op), forward, forward);
}

Place TensorPlaces::internal(InstructionId forward, OperatorId op) const {
  if (tables_.graph().at(op).internal.count == 0) return {};
  return in_block(homes(at(forward).stage).internal(op), forward, forward);
}

Place TensorPlaces::output_again(InstructionId backward, OperatorId op) const {
  const StageId stage = at(backward).stage;
  const InstructionId forward = tables_.forward_of(backward);
  if (tables_.model().footprints[stage.index()].keeps(op)) return output(forward, op);
  return in_block(homes(stage).recomputed_output(op), forward, tables_.gradient_of(backward));
}

Place TensorPlaces::internal_again(InstructionId backward, OperatorId op) const {
  if (tables_.graph().at(op).internal.count == 0) return {};
  return in_block(homes(at(backward).stage).internal(op), tables_.forward_of(backward),
                  tables_.gradient_of(backward));
}

Place TensorPlaces::inner_gradient(InstructionId backward_input, OperatorId op) const {
  return in_block(homes(at(backward_input).stage).inner_gradient(op),
                  tables_.forward_of(backward_input), backward_input);
}

void TensorPlaces::add_received(InstructionId recv, OperatorId tensor,
                                std::vector<Segment>& segments) const {
  const PayloadId payload = at(recv).payload;
  if (!payload.valid()) return;
  for (const PayloadPart& part : tables_.program().payloads()[payload.index()]) {
    if (part.tensor != tensor) continue;
    const MicroBatch samples = samples_of(at(recv), part);
    segments.push_back(
        {samples, find({recv, MemoryPart::ReceiveSlots, tensor, samples.first, {}})});
  }
}

/// A message for several stages of the device may carry more than this one is meant to use.
bool TensorPlaces::hands_over(InstructionId source, InstructionId pass, OperatorId tensor) const {
  const Direction direction =
      at(pass).kind == InstructionKind::Forward ? Direction::Forward : Direction::Backward;
  if (at(source).stage == at(pass).stage) return false;
  const StageFlow* used = flow(at(source).stage, at(pass).stage, direction);
  return used != nullptr && contains(used->tensors, tensor);
}

std::vector<Segment> TensorPlaces::outside(InstructionId forward, OperatorId tensor) const {
  std::vector<Segment> segments;
  for (const InstructionId source : tables_.program().waits_on(forward)) {
    const Instruction& from = at(source);
    if (!hands_over(source, forward, tensor)) continue;
    if (from.kind == InstructionKind::Recv && !from.gradients)
      add_received(source, tensor, segments);
    if (from.kind == InstructionKind::Forward)
      segments.push_back({from.samples, find({source, MemoryPart::Activations, tensor, -1, {}})});
  }
  return cut(std::move(segments), at(forward).samples, bytes(tensor, 1));
}

std::vector<Segment> TensorPlaces::gradient_segments(InstructionId backward, InstructionId source,
                                                     OperatorId tensor) const {
  const Instruction& from = at(source);
  std::vector<Segment> segments;
  if (!hands_over(source, backward, tensor)) return segments;
  if (from.kind == InstructionKind::Recv && from.gradients && from.payload.valid()) {
    Place at_part = find({source, MemoryPart::ReceiveSlots, {}, -1, {}});
    for (const PayloadPart& part : tables_.program().payloads()[from.payload.index()]) {
      if (part.tensor == tensor) segments.push_back({samples_of(from, part), at_part});
      at_part = at_part + bytes(part.tensor, part.samples.samples());
    }
  }
  if (begins_backward(from.kind)) {
    const StageFlow* used = flow(from.stage, at(backward).stage, Direction::Backward);
    const MicroBatch samples = intersection(from.samples, at(backward).samples);
    Place at_tensor = find({source, MemoryPart::SendBuffers, {}, -1, tables_.weight_of(backward)});
    for (const OperatorId other : used->tensors) {
      if (other == tensor) segments.push_back({samples, at_tensor});
      at_tensor = at_tensor + bytes(other, samples.samples());
    }
  }
  return cut(std::move(segments), at(backward).samples, bytes(tensor, 1));
}

/// Of a relayed tensor the readers may all stand further on.
OperatorId TensorPlaces::first_reader(OperatorId tensor, StageId behind) const {
  const std::vector<OperatorId>& readers = tables_.consumers(tensor);
  for (const OperatorId reader : readers)
    if (tables_.model().stages.stage_of(reader) == behind) return reader;
  for (const OperatorId reader : readers)
    if (tables_.model().stages.stage_of(reader) > behind) return reader;
  return readers.front();
}

std::vector<Contribution> TensorPlaces::contributions(InstructionId backward,
                                                      OperatorId tensor) const {
  std::vector<Contribution> result;
  for (const InstructionId source : tables_.program().waits_on(backward)) {
    const std::vector<Segment> segments = gradient_segments(backward, source, tensor);
    if (segments.empty()) continue;
    const OperatorId reader = first_reader(tensor, at(source).stage);
    auto known = std::find_if(result.begin(), result.end(), [&](const Contribution& other) {
      return other.first_reader == reader;
    });
    if (known == result.end()) known = result.insert(result.end(), {reader, {}});
    known->segments.insert(known->segments.end(), segments.begin(), segments.end());
  }
  for (Contribution& one : result)
    one.segments = cut(std::move(one.segments), at(backward).samples, bytes(tensor, 1));
  std::sort(result.begin(), result.end(), [](const Contribution& a, const Contribution& b) {
    return a.first_reader < b.first_reader;
  });
  return result;
}

}  // namespace pipegraph
