// Executing a program for a number of steps on the devices of this job, and what was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/console.h"
#include "apps/device_kinds.h"
#include "apps/job.h"
#include "core/report/measured_times.h"
#include "core/run/timeline.h"
#include "exec/emulated/misbehaving_transport.h"
#include "exec/measure/step_watch.h"
#include "exec/options.h"

namespace pipegraph {

struct ExecutionRequest {
  Job* job = nullptr;  ///< outlives what it runs
  const DeviceKind* kind = nullptr;
  std::int32_t steps = 10;   ///< untraced; as many traced ones, in turns with them, if traced
  std::int32_t warm_up = 2;  ///< before them, not counted
  Tracing tracing = Tracing::Off;
  EmulatedTime emulated_time = EmulatedTime::Virtual;
  GpuOptions gpus;
  StepIssue issue = StepIssue::Instructions;
  std::optional<Misbehaviour> misbehaviour;
  ExecutionOptions options;
};

struct Executed {
  MeasuredTimes times;
  std::optional<Timeline> timeline;  ///< the mean of ordinary traced steps, by instruction
  std::vector<std::string> notes;    ///< of the devices
  std::size_t units = 0;             ///< how many devices compute side by side; see DeviceSet
};

/// All ranks of the job call it together before they make their devices. Errors: those of
/// Job::agree if they would run different things.
void agree(const DeviceContext& context, const ExecutionRequest& request);
/// Of this rank; all call it together. Errors: those of the kind of device.
std::unique_ptr<DeviceSet> make_devices(DeviceContext context, const ExecutionRequest& request);

/// Steps that take the machine's time are watched; virtual time is never disturbed.
SchedulingReader scheduling_reader(const DeviceContext& context, const ExecutionRequest& request);
/// What was seen of the steps of `executed`, into its times and notes.
void add_seen(const StepsSeen& seen, Executed& executed);

/// All ranks of the job call it together. `stepped` is called after each step. Errors: ConfigError
/// if the devices cannot execute this; MachineError if the run fails.
Executed execute(const DeviceContext& context, const ExecutionRequest& request,
                 const std::function<void()>& stepped);

}  // namespace pipegraph
