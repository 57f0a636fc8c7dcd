#include "core/run/sharing_backend.h"

#include <queue>
#include <vector>

#include "core/run/fluid_network.h"
#include "core/run/rendezvous.h"

namespace pipegraph {
namespace {

/// The end of a compute, or of a collective without steps.
struct Event {
  double end = 0.0;
  double start = 0.0;
  InstructionId instruction;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.end != b.end ? a.end > b.end : a.instruction > b.instruction;
  }
};

/// A flow belongs to a transfer or to a step of a running collective.
struct Owner {
  InstructionId send;
  std::int32_t collective = -1;
  std::int32_t step = 0;
  double start = 0.0;
};

struct RunningCollective {
  const CollectiveSchedule* schedule = nullptr;
  InstructionId first_member;
  double start = 0.0;
  std::size_t left = 0;
  std::vector<std::uint32_t> missing;  ///< by step: earlier ones that it waits for
};

class SharingBackend : public Backend {
 public:
  SharingBackend(const Program& program, const Topology& topology, const CollectiveOptions& options)
      : program_(program),
        rendezvous_(program),
        collectives_(program, topology, options),
        network_(topology) {}

  void start(InstructionId id) override {
    const Instruction& instruction = program_.at(id);
    if (is_compute(instruction.kind)) {
      events_.push({now_ + instruction.duration.count(), now_, id});
    } else if (is_transfer(instruction.kind)) {
      if (const auto transfer = rendezvous_.post_transfer(id)) start_transfer(transfer->send);
    } else if (const auto members = rendezvous_.post_all_reduce(id); !members.empty()) {
      start_all_reduce(members.front());
    }
  }

  std::span<const Completion> wait() override {
    completions_.clear();
    while (completions_.empty() && (!events_.empty() || network_.next() < k_never)) {
      now_ = std::min(network_.next(), events_.empty() ? k_never : events_.top().end);
      while (!events_.empty() && events_.top().end <= now_) {
        report(events_.top().instruction, events_.top().start);
        events_.pop();
      }
      const std::vector<std::int32_t> ended = network_.advance(now_);
      for (const std::int32_t owner : ended) end_flow(owner);
    }
    return completions_;
  }

 private:
  static constexpr double k_never = std::numeric_limits<double>::infinity();

  void start_flow(FluidFlow flow, const Owner& owner) {
    if (free_owners_.empty()) {
      free_owners_.push_back(static_cast<std::int32_t>(owners_.size()));
      owners_.emplace_back();
    }
    flow.owner = free_owners_.back();
    free_owners_.pop_back();
    owners_[static_cast<std::size_t>(flow.owner)] = owner;
    network_.start(flow, now_);
  }

  void start_transfer(InstructionId id) {
    const Instruction& send = program_.at(id);
    start_flow({send.device, send.peer, send.bytes.as_double(), 0.0, 0}, {id, -1, 0, now_});
  }

  void start_all_reduce(InstructionId first_member) {
    const Instruction& first = program_.at(first_member);
    const CollectiveSchedule& schedule = collectives_.of(first);
    const auto& steps = schedule.list.steps;
    if (steps.empty() || first.duration > Seconds{0})
      return events_.push({now_ + first.duration.count(), now_, first_member});
    const auto number = static_cast<std::int32_t>(running_.size());
    RunningCollective& running = running_.emplace_back();
    running = {&schedule, first_member, now_, steps.size(), {}};
    for (const CollectiveStep& step : steps)
      running.missing.push_back(static_cast<std::uint32_t>(step.after.size()));
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i].after.empty()) start_step(number, static_cast<std::int32_t>(i));
  }

  void start_step(std::int32_t number, std::int32_t step) {
    const RunningCollective& running = running_[static_cast<std::size_t>(number)];
    const CollectiveStep& message = running.schedule->list.steps[static_cast<std::size_t>(step)];
    const GroupId group = program_.at(running.first_member).group;
    const std::vector<DeviceId>& devices = program_.groups()[group.index()].devices;
    start_flow(
        {devices[static_cast<std::size_t>(message.from)],
         devices[static_cast<std::size_t>(message.to)], message.bytes, message.extra_latencies, 0},
        {{}, number, step, now_});
  }

  void end_flow(std::int32_t number) {
    const Owner owner = owners_[static_cast<std::size_t>(number)];
    free_owners_.push_back(number);
    if (owner.collective >= 0)
      end_step(owner);
    else
      report(owner.send, owner.start);
  }

  void end_step(const Owner& owner) {
    RunningCollective& running = running_[static_cast<std::size_t>(owner.collective)];
    if (--running.left == 0) return report(running.first_member, running.start);
    const CollectiveSchedule& schedule = *running.schedule;
    const auto step = static_cast<std::size_t>(owner.step);
    for (std::uint32_t i = schedule.dependent_begin[step]; i < schedule.dependent_begin[step + 1];
         ++i) {
      const std::int32_t next = schedule.dependents[i];
      if (--running_[static_cast<std::size_t>(owner.collective)]
                .missing[static_cast<std::size_t>(next)] == 0)
        start_step(owner.collective, next);
    }
  }

  void report(InstructionId id, double start) {
    const auto add = [&](InstructionId completed) {
      completions_.push_back({completed, Seconds{start}, Seconds{now_}});
    };
    const Counterparts& counterparts = rendezvous_.counterparts();
    const InstructionKind kind = program_.at(id).kind;
    if (kind == InstructionKind::AllReduce) {
      for (const InstructionId member : counterparts.members(counterparts.collective(id)))
        add(member);
      return;
    }
    add(id);
    if (kind == InstructionKind::Send) add(counterparts.partner(id));
  }

  const Program& program_;
  Rendezvous rendezvous_;
  CollectiveSchedules collectives_;
  FluidNetwork network_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Owner> owners_;
  std::vector<std::int32_t> free_owners_;
  std::vector<RunningCollective> running_;
  std::vector<Completion> completions_;
  double now_ = 0.0;
};

}  // namespace

std::unique_ptr<Backend> make_sharing_backend(const Program& program, const Topology& topology,
                                              const CollectiveOptions& options) {
  return std::make_unique<SharingBackend>(program, topology, options);
}

}  // namespace pipegraph
