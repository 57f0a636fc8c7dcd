// The SimGrid backend: performs a program's instructions in simulated time. Lives in the child
// process of a simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run/backend.h"
#include "core/run/collective_schedules.h"
#include "core/run/rendezvous.h"
#include "sim/flow_network.h"
#include "sim/simulate.h"
#include "sim/timed_events.h"

namespace pipegraph {

class SimGridBackend : public Backend {
 public:
  /// At most one per process. `program` and `topology` must outlive this.
  SimGridBackend(const Program& program, const Topology& topology,
                 const SimulationOptions& options);

  void start(InstructionId id) override;
  std::span<const Completion> wait() override;

  FlowNetwork& network() { return network_; }

 private:
  /// An all-reduce whose steps are on their way.
  struct Running {
    const CollectiveSchedule* schedule = nullptr;
    InstructionId first_member;
    double start = 0.0;
    std::vector<std::uint32_t> missing;  ///< by step: steps it still waits for
    std::size_t left = 0;                ///< steps that have not ended
  };

  void start_transfer(const Transfer& transfer);
  void start_all_reduce(std::span<const InstructionId> members);
  void start_step(std::int32_t running, std::int32_t step);
  void end_step(const FlowOwner& owner);
  void end_flow(const EndedFlow& flow);
  void take_events();
  void report(InstructionId id, double start);

  const Program& program_;
  Rendezvous rendezvous_;
  CollectiveSchedules collectives_;
  TimedEvents events_;
  FlowNetwork network_;
  std::vector<Running> running_;
  std::vector<std::int32_t> free_running_;
  std::vector<Completion> completions_;
  double now_ = 0.0;
};

}  // namespace pipegraph
