// Runs a program on emulated devices, through the executor with its threads and transport.
#pragma once

#include <string>
#include <variant>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/run_program.h"
#include "exec/emulated/emulated_clocks.h"
#include "exec/emulated/misbehaving_transport.h"
#include "exec/executor.h"
#include "exec/transport/mover.h"

namespace pipegraph::test {

/// What the transport of a run is wrapped in.
using TransportWrapper =
    std::function<std::unique_ptr<Transport>(Transport& inner, RunState& state)>;

/// `program` must outlive it.
TransportWrapper misbehaving(const Program& program, const Misbehaviour& misbehaviour);

/// Everything a run on emulated devices of one process needs, in order of construction.
class EmulatedRun {
 public:
  struct Settings {
    EmulatedTime time = EmulatedTime::Virtual;
    CollectiveOptions collectives{};
    ExecutionOptions execution{};
    TransportWrapper wrap{};  ///< empty: the in-process transport as it is
    EngineFactory engines{};  ///< empty: emulated ones
    ClockFactory clocks{};    ///< empty: emulated ones
    Mover* mover = nullptr;   ///< of messages that the host does not reach
  };

  /// `program` and `topology` must outlive it.
  EmulatedRun(const Program& program, const Topology& topology, const Settings& settings);

  Executor& executor() { return *executor_; }
  RunState& state() { return state_; }
  /// One traced step: its timeline, or why it could not end.
  std::variant<Timeline, Stuck> step();
  /// One traced step that must end.
  Timeline timeline();
  /// The message of the failure of one step; empty if it ends.
  std::string failure();

 private:
  const Program& program_;
  Channels channels_;
  RunState state_;
  SingleRank ranks_;
  std::unique_ptr<Transport> inner_;
  std::unique_ptr<Transport> wrapped_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace pipegraph::test
