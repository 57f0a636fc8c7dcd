#include "core/run/analytic_backend.h"

#include <queue>
#include <vector>

#include "core/base/errors.h"
#include "core/run/rendezvous.h"
#include "core/run/route_costs.h"

namespace pipegraph {
namespace {

/// What ends next. `instruction` stands for the send of a transfer and the first of a collective.
struct Event {
  Seconds end{0};
  Seconds start{0};
  InstructionId instruction;
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.end != b.end ? a.end > b.end : a.instruction > b.instruction;
  }
};

class AnalyticBackend : public Backend {
 public:
  AnalyticBackend(const Program& program, const Topology& topology,
                  const CollectiveOptions& options)
      : program_(program),
        routes_(topology),
        last_route_(program.lanes().size()),
        rendezvous_(program),
        collectives_(program, topology, options) {
    check(program.device_count() <= topology.size(), "the topology has the program's devices");
  }

  void start(InstructionId id) override {
    const Instruction& instruction = program_.at(id);
    if (is_compute(instruction.kind)) {
      push(id, instruction.duration);
    } else if (is_transfer(instruction.kind)) {
      if (const auto transfer = rendezvous_.post_transfer(id)) start_transfer(*transfer);
    } else if (const auto members = rendezvous_.post_all_reduce(id); !members.empty()) {
      const bool measured = instruction.duration > Seconds{0};
      push(members.front(), measured ? instruction.duration : collectives_.of(instruction).time);
    }
  }

  std::span<const Completion> wait() override {
    completions_.clear();
    if (events_.empty()) return {};
    now_ = events_.top().end;
    while (!events_.empty() && events_.top().end == now_) {
      report(events_.top());
      events_.pop();
    }
    return completions_;
  }

 private:
  void push(InstructionId id, Seconds duration) { events_.push({now_ + duration, now_, id}); }

  void start_transfer(const Transfer& transfer) {
    const Instruction& send = program_.at(transfer.send);
    // A lane mostly sends to one device.
    LastRoute& last = last_route_[send.lane.index()];
    if (last.cost == nullptr || last.to != send.peer)
      last = {send.peer, &routes_.between(send.device, send.peer)};
    push(transfer.send, last.cost->time(send.bytes.as_double()));
  }

  void report(const Event& event) {
    const InstructionKind kind = program_.at(event.instruction).kind;
    if (kind == InstructionKind::AllReduce) {
      const Counterparts& counterparts = rendezvous_.counterparts();
      for (InstructionId member : counterparts.members(counterparts.collective(event.instruction)))
        completions_.push_back({member, event.start, event.end});
      return;
    }
    completions_.push_back({event.instruction, event.start, event.end});
    if (kind == InstructionKind::Send) {
      const InstructionId recv = rendezvous_.counterparts().partner(event.instruction);
      completions_.push_back({recv, event.start, event.end});
    }
  }

  struct LastRoute {
    DeviceId to;
    const RouteCost* cost = nullptr;
  };

  const Program& program_;
  RouteCosts routes_;
  std::vector<LastRoute> last_route_;  ///< by lane
  Rendezvous rendezvous_;
  CollectiveSchedules collectives_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::vector<Completion> completions_;
  Seconds now_{0};
};

}  // namespace

std::unique_ptr<Backend> make_analytic_backend(const Program& program, const Topology& topology,
                                               const CollectiveOptions& options) {
  return std::make_unique<AnalyticBackend>(program, topology, options);
}

}  // namespace pipegraph
