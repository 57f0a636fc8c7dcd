#include "sim/simgrid_backend.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

/// Of any flow: a collective's flow carries at most twice its vector.
double largest_flow(const Program& program) {
  double largest = 0.0;
  for (const Instruction& instruction : program.instructions())
    largest = std::max(largest, 2.0 * instruction.bytes.as_double());
  return largest;
}

}  // namespace

SimGridBackend::SimGridBackend(const Program& program, const Topology& topology,
                               const SimulationOptions& options)
    : program_(program),
      rendezvous_(program),
      collectives_(program, topology, options.collectives),
      network_(topology, events_, {options.network, options.transfers, largest_flow(program)}) {}

void SimGridBackend::start(InstructionId id) {
  const Instruction& instruction = program_.at(id);
  if (is_compute(instruction.kind)) {
    events_.push({now_ + instruction.duration.count(), now_, id.value, 0, TimedKind::Instruction});
  } else if (is_transfer(instruction.kind)) {
    if (const auto transfer = rendezvous_.post_transfer(id)) start_transfer(*transfer);
  } else if (const auto members = rendezvous_.post_all_reduce(id); !members.empty()) {
    start_all_reduce(members);
  }
}

void SimGridBackend::start_transfer(const Transfer& transfer) {
  const Instruction& send = program_.at(transfer.send);
  network_.start({send.device, send.peer, send.bytes.as_double(), 0.0, {transfer.send.value, -1}},
                 now_);
}

void SimGridBackend::start_all_reduce(std::span<const InstructionId> members) {
  const Instruction& first = program_.at(members.front());
  const CollectiveSchedule& schedule = collectives_.of(first);
  const auto& steps = schedule.list.steps;
  if (steps.empty() || first.duration > Seconds{0}) {
    const double end = now_ + first.duration.count();
    events_.push({end, now_, members.front().value, 0, TimedKind::Instruction});
    return;
  }
  if (free_running_.empty()) {
    free_running_.push_back(static_cast<std::int32_t>(running_.size()));
    running_.emplace_back();
  }
  const std::int32_t number = free_running_.back();
  free_running_.pop_back();
  Running& running = running_[static_cast<std::size_t>(number)];
  running.schedule = &schedule;
  running.first_member = members.front();
  running.start = now_;
  running.left = steps.size();
  running.missing.clear();
  for (const CollectiveStep& step : steps)
    running.missing.push_back(static_cast<std::uint32_t>(step.after.size()));
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].after.empty()) start_step(number, static_cast<std::int32_t>(i));
}

void SimGridBackend::start_step(std::int32_t running, std::int32_t step) {
  const Running& collective = running_[static_cast<std::size_t>(running)];
  const CollectiveStep& message = collective.schedule->list.steps[static_cast<std::size_t>(step)];
  const GroupId group = program_.at(collective.first_member).group;
  const std::vector<DeviceId>& devices = program_.groups()[group.index()].devices;
  network_.start({devices[static_cast<std::size_t>(message.from)],
                  devices[static_cast<std::size_t>(message.to)],
                  message.bytes,
                  message.extra_latencies,
                  {running, step}},
                 now_);
}

std::span<const Completion> SimGridBackend::wait() {
  completions_.clear();
  while (completions_.empty()) {
    if (network_.shared()) {
      now_ = std::max(now_, network_.advance(events_.next()));
      for (const EndedFlow& flow : network_.ended()) end_flow(flow);
    } else if (!events_.empty()) {
      now_ = events_.next();
    } else {
      break;
    }
    take_events();
  }
  return completions_;
}

void SimGridBackend::take_events() {
  while (events_.next() <= now_) {
    const TimedEvent event = events_.pop();
    if (event.kind == TimedKind::Instruction) {
      report(InstructionId{event.subject}, event.start);
    } else if (const auto flow = network_.take(event, now_)) {
      end_flow(*flow);
    }
  }
}

void SimGridBackend::end_flow(const EndedFlow& flow) {
  if (flow.owner.step >= 0) {
    end_step(flow.owner);
  } else {
    report(InstructionId{flow.owner.subject}, flow.start);
  }
}

void SimGridBackend::end_step(const FlowOwner& owner) {
  Running& running = running_[static_cast<std::size_t>(owner.subject)];
  const CollectiveSchedule& schedule = *running.schedule;
  const auto step = static_cast<std::size_t>(owner.step);
  if (--running.left == 0) {
    report(running.first_member, running.start);
    free_running_.push_back(owner.subject);
    return;
  }
  for (std::uint32_t i = schedule.dependent_begin[step]; i < schedule.dependent_begin[step + 1];
       ++i) {
    const std::int32_t next = schedule.dependents[i];
    if (--running.missing[static_cast<std::size_t>(next)] == 0) start_step(owner.subject, next);
  }
}

void SimGridBackend::report(InstructionId id, double start) {
  const Counterparts& counterparts = rendezvous_.counterparts();
  const InstructionKind kind = program_.at(id).kind;
  if (kind == InstructionKind::AllReduce) {
    for (InstructionId member : counterparts.members(counterparts.collective(id)))
      completions_.push_back({member, Seconds{start}, Seconds{now_}});
    return;
  }
  completions_.push_back({id, Seconds{start}, Seconds{now_}});
  if (kind == InstructionKind::Send)
    completions_.push_back({counterparts.partner(id), Seconds{start}, Seconds{now_}});
}

}  // namespace pipegraph
