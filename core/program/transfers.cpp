#include "core/program/transfers.h"

#include <algorithm>

namespace pipegraph {

namespace {

Direction direction_of(Pass pass) {
  return pass == Pass::Forward ? Direction::Forward : Direction::Backward;
}
std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

}  // namespace

TransferLowering::TransferLowering(const Inputs& inputs, ProgramBuilder& builder,
                                   std::int32_t receive_slots)
    : stages_(inputs.stages),
      slots_(inputs.slots),
      builder_(builder),
      hand_overs_(*inputs.workload.graph, inputs.stages, inputs.slots, builder, inputs.lanes),
      times_(inputs.workload, inputs.stages),
      element_bytes_(
          static_cast<std::uint8_t>(element_size(inputs.workload.training.precision).count)),
      pending_{PendingWaits(inputs.slots.size()), PendingWaits(inputs.slots.size())},
      forwards_(inputs.slots.size()),
      receive_slots_(receive_slots) {
  const std::size_t devices = inputs.workload.topology->size();
  for (std::size_t d = 0; d < devices; ++d)
    compute_lanes_.push_back(builder.lane({make_id<DeviceId>(d), LaneKind::Compute, {}, {}}));
}

void TransferLowering::reserve(const std::vector<DeviceTask>& sequence, std::size_t others) {
  std::size_t messages = 0, waits = 0;
  for (const DeviceTask& task : sequence) {
    if (task.task.pass != Pass::Forward) ++waits;
    if (task.task.pass == Pass::BackwardWeight) continue;
    const HandOver given = hand_over_of(task);
    messages += given.messages.size();
    waits += given.messages.size() + given.on_device.size();
    for (const Message& message : given.messages) waits += hand_overs_.consumers_of(message).size();
  }
  builder_.reserve(sequence.size() + 2 * messages + others, waits + others);
}

HandOver TransferLowering::hand_over_of(const DeviceTask& task) {
  const StageId stage = task.task.stage;
  const std::int32_t micro_batch = slots_.partition(stage).index_of(task.task.samples.first);
  return hand_overs_.of(stage, direction_of(task.task.pass), micro_batch, task.replica);
}

std::size_t TransferLowering::slot_of(const DeviceTask& task) const {
  return slots_.slot_at(task.task.stage, task.task.samples.first, task.replica);
}

std::size_t TransferLowering::slot_of(const DeviceTask& task, const Consumer& consumer) const {
  return slots_.slot_at(consumer.stage, task.task.samples.first + consumer.first, consumer.replica);
}

InstructionId TransferLowering::add(const DeviceTask& task) {
  const std::size_t slot = slot_of(task);
  collect_waits(task, slot);
  const InstructionId pass = add_pass(task, slot);
  if (task.task.pass != Pass::BackwardWeight) hand_over(task, pass);
  if (receive_slots_.limited()) free_slots(pass);
  return pass;
}

void TransferLowering::collect_waits(const DeviceTask& task, std::size_t slot) {
  waits_.clear();
  if (task.task.pass == Pass::BackwardWeight) {
    waits_.push_back(backward_inputs_[slot]);
    return;
  }
  const Direction direction = direction_of(task.task.pass);
  if (receive_slots_.limited()) release_needed(direction, slot);
  pending_[index(direction)].take(slot, waits_);
  if (direction == Direction::Backward) waits_.push_back(forwards_[slot]);
}

InstructionId TransferLowering::add_pass(const DeviceTask& task, std::size_t slot) {
  const auto [stage, pass, samples] = task.task;
  Instruction i;
  i.kind = static_cast<InstructionKind>(pass);
  i.device = task.device;
  i.lane = compute_lanes_[task.device.index()];
  i.stage = stage;
  i.samples = share(samples, task.replica, stages_.at(stage).replicas());
  i.duration = times_.time(stage, task.replica, pass, i.samples.samples());
  const InstructionId id = builder_.add(i, waits_);
  if (pass == Pass::Forward) forwards_[slot] = id;
  if (pass == Pass::BackwardInput) {
    backward_inputs_.resize(slots_.size());
    backward_inputs_[slot] = id;
  }
  return id;
}

void TransferLowering::hand_over(const DeviceTask& task, InstructionId pass) {
  const HandOver given = hand_over_of(task);
  for (const Consumer& consumer : given.on_device) promise(task, consumer, pass);
  for (const Message& message : given.messages) {
    if (!receive_slots_.limited()) {
      add_transfer(task, pass, message);
      continue;
    }
    const auto channel = static_cast<std::size_t>(message.channel);
    if (channel >= held_.size()) held_.resize(channel + 1);
    if (held_[channel].empty() && receive_slots_.has_slot(message.channel))
      add_transfer(task, pass, message);
    else
      hold_back({pass, task, message});
  }
}

void TransferLowering::promise(const DeviceTask& task, const Consumer& consumer,
                               InstructionId waits_on) {
  pending_[index(direction_of(task.task.pass))].add(slot_of(task, consumer), waits_on);
}

void TransferLowering::add_transfer(const DeviceTask& task, InstructionId pass,
                                    const Message& message) {
  Instruction i;
  i.kind = InstructionKind::Send;
  i.gradients = task.task.pass != Pass::Forward;
  i.element_bytes = element_bytes_;
  i.device = task.device;
  i.lane = message.send_lane;
  i.stage = task.task.stage;
  i.peer = message.to;
  i.samples = {task.task.samples.first + message.samples.first,
               task.task.samples.first + message.samples.last};
  i.payload = message.payload;
  i.bytes = message.bytes;
  builder_.add(i, std::span(&pass, 1));

  i.kind = InstructionKind::Recv;
  std::swap(i.device, i.peer);
  i.lane = message.recv_lane;
  const auto slot_free = receive_slots_.slot_free_after(message.channel);
  const InstructionId recv =
      slot_free ? builder_.add(i, std::span(&*slot_free, 1)) : builder_.add(i, {});
  const auto consumers = hand_overs_.consumers_of(message);
  receive_slots_.issued(message.channel, recv, consumers.size());
  for (const Consumer& consumer : consumers) promise(task, consumer, recv);
}

void TransferLowering::hold_back(const Held& held) {
  auto& holders = holders_[index(direction_of(held.task.task.pass))];
  for (const Consumer& consumer : hand_overs_.consumers_of(held.message))
    holders[slot_of(held.task, consumer)].push_back(held.message.channel);
  held_[static_cast<std::size_t>(held.message.channel)].push_back(held);
}

/// A task must have all its messages: those held back go out now, and their recvs wait for
/// consumers that come later. Whether this can ever end is for validation to say.
void TransferLowering::release_needed(Direction direction, std::size_t slot) {
  auto& holders = holders_[index(direction)];
  for (auto found = holders.find(slot); found != holders.end(); found = holders.find(slot))
    release_first(found->second.front());
}

void TransferLowering::release_first(std::int32_t channel) {
  std::deque<Held>& queue = held_[static_cast<std::size_t>(channel)];
  const Held held = queue.front();
  queue.pop_front();
  auto& holders = holders_[index(direction_of(held.task.task.pass))];
  for (const Consumer& consumer : hand_overs_.consumers_of(held.message)) {
    const auto found = holders.find(slot_of(held.task, consumer));
    std::vector<std::int32_t>& channels = found->second;
    channels.erase(std::find(channels.begin(), channels.end(), channel));
    if (channels.empty()) holders.erase(found);
  }
  add_transfer(held.task, held.pass, held.message);
}

void TransferLowering::free_slots(InstructionId pass) {
  const std::vector<InstructionId> used = waits_;
  for (const InstructionId recv : used) {
    const auto freed = receive_slots_.consumed(recv, pass);
    if (!freed) continue;
    if (freed->waiting.valid()) builder_.add_wait(freed->waiting, pass);
    const auto channel = static_cast<std::size_t>(freed->channel);
    while (!held_[channel].empty() && receive_slots_.has_slot(freed->channel))
      release_first(freed->channel);
  }
}

}  // namespace pipegraph
