#include "core/program/lifetime_collector.h"

#include <algorithm>

namespace pipegraph {

namespace {

bool contains(const std::vector<OperatorId>& sorted, OperatorId tensor) {
  return std::binary_search(sorted.begin(), sorted.end(), tensor);
}
bool begins_backward(InstructionKind kind) {
  return kind == InstructionKind::Backward || kind == InstructionKind::BackwardInput;
}

}  // namespace

LifetimeCollector::LifetimeCollector(const MemoryModel& model, DeviceId device)
    : model_(model),
      device_(device),
      instructions_(model.order.on(device)),
      begun_(instructions_.size()) {}

std::vector<Lifetime> LifetimeCollector::collect() && {
  for (std::size_t n = 0; n < instructions_.size(); ++n) {
    begun_[n].begin = static_cast<std::uint32_t>(lifetimes_.size());
    begin(instructions_[n]);
    begun_[n].end = static_cast<std::uint32_t>(lifetimes_.size());
  }
  for (const InstructionId id : instructions_)
    if (is_pass(at(id).kind))
      for (const InstructionId source : model_.program.waits_on(id))
        if (at(source).device == device_) use(id, source);
  std::erase_if(lifetimes_, [](const Lifetime& lifetime) { return !lifetime.last.valid(); });
  return std::move(lifetimes_);
}

void LifetimeCollector::begin(InstructionId id) {
  const InstructionKind kind = at(id).kind;
  if (kind == InstructionKind::Forward) begin_forward(id);
  if (begins_backward(kind)) begin_backward(id);
  if (kind == InstructionKind::Send) begin_send(id);
  if (kind == InstructionKind::Recv) begin_recv(id);
}

void LifetimeCollector::add(Lifetime lifetime, Bytes bytes) {
  if (bytes.count == 0) return;
  lifetime.bytes = bytes;
  lifetime.earliest = model_.order.earliest_start(lifetime.first);
  if (lifetime.last.valid()) {
    lifetime.latest = model_.order.latest_end(lifetime.last);
    lifetime.latest = std::max(lifetime.latest, lifetime.earliest);
  }
  lifetimes_.push_back(lifetime);
}

Bytes LifetimeCollector::bytes_of(OperatorId tensor, MicroBatch samples) const {
  return model_.workload.graph->at(tensor).output * static_cast<std::uint64_t>(samples.samples());
}

InstructionId LifetimeCollector::last_backward(InstructionId pass) const {
  return model_.last_backwards[model_.slot_of(at(pass))];
}

const StageFlow* LifetimeCollector::flow(StageId from, StageId to, Direction direction) const {
  for (const StageFlow& flow : model_.flows.from(from, direction))
    if (flow.consumer == to) return &flow;
  return nullptr;
}

/// Tensors that stages on this device read from `stage`, ascending.
std::vector<OperatorId> LifetimeCollector::handed_over_here(StageId stage) const {
  std::vector<OperatorId> tensors;
  for (const StageFlow& flow : model_.flows.from(stage, Direction::Forward))
    if (model_.replica_on(device_, flow.consumer) >= 0)
      tensors.insert(tensors.end(), flow.tensors.begin(), flow.tensors.end());
  std::sort(tensors.begin(), tensors.end());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  return tensors;
}

void LifetimeCollector::begin_forward(InstructionId id) {
  const Instruction& pass = at(id);
  const Footprint& keeps = footprint(pass.stage);
  const auto samples = static_cast<std::uint64_t>(pass.samples.samples());
  const std::vector<OperatorId> shared = handed_over_here(pass.stage);
  const InstructionId end = last_backward(id);
  const auto made_here = [&](OperatorId tensor) {
    return model_.stages.stage_of(tensor) == pass.stage;
  };
  Bytes own = keeps.given * samples;
  for (const OperatorId tensor : keeps.tensors)
    if (made_here(tensor) && !contains(shared, tensor)) own += bytes_of(tensor, pass.samples);
  const Lifetime lifetime{MemoryPart::Activations, pass.stage, {}, pass.samples, id, end};
  add(lifetime, own);
  for (const OperatorId tensor : shared) {
    Lifetime one = lifetime;
    one.tensor = tensor;
    if (!made_here(tensor) || !keeps.keeps(tensor)) one.last = {};  // lives for its users
    add(one, bytes_of(tensor, pass.samples));
  }
  add({MemoryPart::Workspace, pass.stage, {}, pass.samples, id, id}, keeps.workspace * samples);
}

void LifetimeCollector::begin_backward(InstructionId id) {
  const Instruction& pass = at(id);
  Bytes bytes = footprint(pass.stage).workspace;
  if (pass.kind == InstructionKind::BackwardInput) bytes += footprint(pass.stage).inner_gradients;
  add({MemoryPart::Workspace, pass.stage, {}, pass.samples, id, last_backward(id)},
      bytes * static_cast<std::uint64_t>(pass.samples.samples()));
}

/// Gradients have a buffer from their backward on. Activations are sent from where they are kept;
/// what is not kept (relayed or recomputed) has a buffer too, and so has what its stage may be done
/// with before the send is (no gradient comes back for it).
void LifetimeCollector::begin_send(InstructionId id) {
  const Instruction& send = at(id);
  InstructionId pass;
  for (const InstructionId wait : model_.program.waits_on(id))
    if (is_pass(at(wait).kind) && at(wait).stage == send.stage) pass = wait;
  if (!pass.valid() || !send.payload.valid()) return;
  const Lifetime buffer{MemoryPart::SendBuffers, send.stage, {}, send.samples, pass, id};
  if (send.gradients) return add(buffer, send.bytes);
  const bool outlives = model_.order.latest_end(id) > model_.order.latest_end(last_backward(pass));
  Bytes bytes;
  for (const PayloadPart& part : model_.program.payloads()[send.payload.index()]) {
    const bool given = model_.workload.graph->at(part.tensor).saved.has_value();
    const bool made_here = model_.stages.stage_of(part.tensor) == send.stage;
    const bool kept = footprint(send.stage).keeps(part.tensor) || (given && made_here);
    if (!kept || outlives) bytes += bytes_of(part.tensor, part.samples);
  }
  add(buffer, bytes);
}

void LifetimeCollector::begin_recv(InstructionId id) {
  const Instruction& recv = at(id);
  if (!recv.payload.valid()) return;
  Lifetime slot{MemoryPart::ReceiveSlots, recv.stage, {}, recv.samples, id, {}};
  if (recv.gradients) return add(slot, recv.bytes);
  for (const PayloadPart& part : model_.program.payloads()[recv.payload.index()]) {
    slot.tensor = part.tensor;
    slot.samples = {recv.samples.first + part.samples.first,
                    recv.samples.first + part.samples.last};
    add(slot, bytes_of(part.tensor, part.samples));
  }
}

void LifetimeCollector::use(InstructionId pass, InstructionId source) {
  const InstructionKind kind = at(source).kind;
  if (kind == InstructionKind::Recv && at(source).gradients) {
    const Range range = begun_[model_.order.place(source)];
    for (std::uint32_t n = range.begin; n < range.end; ++n)
      extend(lifetimes_[n], last_backward(pass));
  } else if (kind == InstructionKind::Recv ||
             (kind == InstructionKind::Forward && at(pass).kind == InstructionKind::Forward)) {
    use_activations(pass, source);
  } else if (begins_backward(kind) && begins_backward(at(pass).kind)) {
    use_local_gradients(pass, source);
  }
}

void LifetimeCollector::use_activations(InstructionId pass, InstructionId source) {
  const StageId stage = at(pass).stage;
  const StageFlow* used = flow(at(source).stage, stage, Direction::Forward);
  if (used == nullptr) return;
  const Range range = begun_[model_.order.place(source)];
  for (std::uint32_t n = range.begin; n < range.end; ++n) {
    Lifetime& lifetime = lifetimes_[n];
    if (!lifetime.tensor.valid() || !contains(used->tensors, lifetime.tensor)) continue;
    extend(lifetime, footprint(stage).keeps(lifetime.tensor) ? last_backward(pass) : pass);
  }
}

void LifetimeCollector::use_local_gradients(InstructionId pass, InstructionId source) {
  const StageFlow* used = flow(at(source).stage, at(pass).stage, Direction::Backward);
  if (used == nullptr) return;
  const MicroBatch samples = intersection(at(source).samples, at(pass).samples);
  if (samples.empty()) return;
  Bytes bytes;
  for (const OperatorId tensor : used->tensors) bytes += bytes_of(tensor, samples);
  add({MemoryPart::SendBuffers, at(source).stage, {}, samples, source, last_backward(pass)}, bytes);
}

void LifetimeCollector::extend(Lifetime& lifetime, InstructionId last) const {
  const Moment latest = model_.order.latest_end(last);
  if (lifetime.last.valid() && latest <= lifetime.latest) return;
  lifetime.last = last;
  lifetime.latest = std::max(latest, lifetime.earliest);
}

}  // namespace pipegraph
