#include "exec/device_backend.h"

#include <algorithm>

namespace pipegraph {
namespace {

constexpr Seconds k_no_limit{1.0};

}  // namespace

DeviceBackend::DeviceBackend(const DeviceParts& parts, const Waiter& waiter)
    : parts_(parts),
      waiter_(waiter),
      all_reducer_({parts.program, parts.channels, parts.transport, parts.engine}),
      posted_(parts.program.lanes().size()) {
  if (const std::size_t most = parts.engine.most_under_way(); most > 1)
    ahead_.emplace(parts.program, parts.device, most);
  if (parts.transport.in_program_order())
    turns_.emplace(parts.program, parts.device,
                   [](InstructionKind kind) { return !is_compute(kind); });
}

void DeviceBackend::begin_step(RunRecord* record) {
  record_ = record;
  if (ahead_) ahead_->begin_step();
}

void DeviceBackend::start(InstructionId id) {
  current_ = id;
  if (is_compute(parts_.program.at(id).kind)) {
    start_compute(id);
  } else if (turns_) {
    turns_->ready(id);
    begin_in_turn();
  } else {
    communicate(id);
  }
}

void DeviceBackend::start_compute(InstructionId id) {
  if (ahead_) {
    if (ahead_->has_started(id)) return;
    ahead_->started(id);
  }
  parts_.engine.start(id);
  ++computing_;
}

void DeviceBackend::issue_ahead() {
  for (InstructionId id = ahead_->next(); id.valid(); id = ahead_->next()) {
    current_ = id;
    start_compute(id);
  }
}

void DeviceBackend::begin_in_turn() {
  while (const auto id = turns_->next()) communicate(*id);
}

void DeviceBackend::communicate(InstructionId id) {
  if (is_transfer(parts_.program.at(id).kind))
    post(id);
  else
    start_all_reduce(id);
}

void DeviceBackend::post(InstructionId half) {
  const Instruction& instruction = parts_.program.at(half);
  const Seconds posted = parts_.clock.ready(half);
  posted_[instruction.lane.index()] = posted;
  parts_.transport.post(
      parts_.device, {.channel = parts_.channels.of(half),
                      .half = instruction.kind == InstructionKind::Send ? Half::Send : Half::Recv,
                      .element_bytes = instruction.element_bytes,
                      .instruction = half,
                      .bytes = instruction.bytes,
                      .posted = posted,
                      .pieces = parts_.engine.pieces(half)});
}

void DeviceBackend::start_all_reduce(InstructionId id) {
  if (const auto start = all_reducer_.start(id, parts_.clock.ready(id))) complete(id, *start);
}

std::span<const Completion> DeviceBackend::wait() {
  waiter_.begin();
  for (;;) {
    if (ahead_) issue_ahead();
    if (!held_.empty()) release_held();
    const std::size_t arrived = receive();
    // What has arrived first releases messages of others, and then the next compute.
    if (fresh_.empty() && computing_ > 0) compute();
    if (!fresh_.empty()) break;
    // An arrival may have posted more of an all-reduce, which may have completed at once.
    if (arrived == 0) pause();
  }
  reported_.clear();
  reported_.swap(fresh_);
  return reported_;
}

std::size_t DeviceBackend::receive() {
  const std::span<const Arrival> arrivals = parts_.transport.poll(parts_.device);
  for (const Arrival& arrival : arrivals) {
    current_ = arrival.instruction;
    const Instruction& instruction = parts_.program.at(arrival.instruction);
    if (is_transfer(instruction.kind)) {
      complete(arrival, std::max(posted_[instruction.lane.index()], arrival.other_posted));
    } else if (const auto start = all_reducer_.arrived(arrival)) {
      complete(arrival.instruction, *start);
    }
  }
  return arrivals.size();
}

void DeviceBackend::compute() {
  for (const Completion& done : parts_.engine.poll()) {
    --computing_;
    complete(done);
  }
}

void DeviceBackend::complete(const Arrival& half, Seconds posted) {
  if (!half.moved) return complete(half.instruction, posted);
  complete(
      {half.instruction, std::max(posted, half.moved->start), std::max(posted, half.moved->end)});
}

void DeviceBackend::complete(InstructionId id, Seconds start) {
  complete({id, start, parts_.clock.end(id, start)});
}

void DeviceBackend::complete(const Completion& done) {
  if (parts_.clock.reached(done.end))
    report(done);
  else
    held_.push_back(done);
}

void DeviceBackend::release_held() {
  for (std::size_t i = 0; i < held_.size();) {
    if (!parts_.clock.reached(held_[i].end)) {
      ++i;
      continue;
    }
    report(held_[i]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void DeviceBackend::report(const Completion& done) {
  parts_.clock.completed(done);
  if (ahead_) ahead_->completed(done.instruction);
  parts_.state.progress.completed(parts_.program.at(done.instruction).lane);
  if (record_ != nullptr) {
    record_->start[done.instruction.index()] = done.start;
    record_->end[done.instruction.index()] = done.end;
  }
  fresh_.push_back(done);
  if (!turns_) return;
  turns_->completed(done.instruction);
  begin_in_turn();
}

void DeviceBackend::pause() {
  current_ = {};
  WaitKind kind = held_.empty() ? WaitKind::ForOthers : WaitKind::ForOwnWork;
  if (computing_ > 0 || parts_.transport.unannounced(parts_.device))
    kind = WaitKind::ForUnannounced;
  Seconds at_most = k_no_limit;
  for (const Completion& done : held_) at_most = std::min(at_most, parts_.clock.until(done.end));
  waiter_.pause(kind, at_most);
}

}  // namespace pipegraph
