// Runs a program step by step on the devices of this process, one thread each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "core/run/run_program.h"
#include "exec/clock.h"
#include "exec/engine.h"
#include "exec/options.h"
#include "exec/state/run_state.h"
#include "exec/step_times.h"
#include "exec/transport/channels.h"
#include "exec/transport/ranks.h"
#include "exec/transport/transport.h"
#include "exec/whole_step.h"

namespace pipegraph {

/// What the devices of a process share; all must outlive the executor.
struct Execution {
  const Program& program;
  const Channels& channels;
  RunState& state;
  Transport& transport;
  Ranks& ranks;
  std::vector<DeviceId> devices;  ///< of this process
  EngineFactory engines;
  ClockFactory clocks;
  WholeStep* whole_step = nullptr;  ///< performs untraced steps that it takes; null: none
  StepTimes* step_times = nullptr;  ///< corrects the times of traced ones; null: nobody does
};

/// `time`: from the common start to the last device's end, over all ranks (on rank 0; elsewhere
/// over the own devices). `record`: of a traced step, by instruction id, complete on rank 0.
/// `clock_bound`: how wrong its times may be, where ranks read different clocks.
struct StepResult {
  Seconds time{0};
  std::optional<RunRecord> record = std::nullopt;
  std::optional<Seconds> clock_bound = std::nullopt;
};

/// Threads live as long as the executor and rest between steps.
class Executor {
 public:
  /// Makes the engines. Errors: what they throw, and those of run_step.
  Executor(Execution execution, const ExecutionOptions& options);
  ~Executor();

  /// One mini-batch on all devices. Errors: MachineError with failure_text if anything fails
  /// anywhere or nothing moves for the deadline; the executor is then of no further use.
  StepResult run_step(Tracing tracing);

  /// Runs `task` on every device's thread at once, outside of a step.
  void on_each_device(const std::function<void(DeviceId, Engine&)>& task);

  /// Between steps.
  Engine& engine(DeviceId device);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pipegraph
