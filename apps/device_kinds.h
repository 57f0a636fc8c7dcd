// The kinds of device that `pipegraph run` can execute a program on: one line each in a table.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"
#include "exec/cuda/gpu_options.h"
#include "exec/emulated/emulated_clocks.h"
#include "exec/engine.h"
#include "exec/step_times.h"
#include "exec/steps/training_devices.h"
#include "exec/transport/mover.h"
#include "exec/transport/ranks.h"
#include "exec/transport/transport_context.h"
#include "exec/whole_step.h"

namespace pipegraph {

/// What is executed; outlives the devices.
struct DeviceContext {
  const Workload& workload;
  const StageGraph& stages;  ///< without stages for a program that is not of a plan
  const Program& program;
  CollectiveOptions collectives;
  EmulatedTime emulated_time = EmulatedTime::Virtual;
  std::uint64_t seed = 0;  ///< of initial weights and synthetic samples
  GpuOptions gpus;
  StepIssue issue = StepIssue::Instructions;
  Tracing tracing = Tracing::Off;  ///< of any step
  Ranks* ranks = nullptr;          ///< of the job; all make their devices together
  std::vector<std::int32_t> rank_of_device;
};

/// The devices that execute one program; outlives engines and clocks.
class DeviceSet {
 public:
  virtual ~DeviceSet() = default;
  virtual EngineFactory engines() = 0;
  virtual ClockFactory clocks() = 0;
  /// Where training gets at them; null if they do not compute. Their step order is one of synthetic
  /// samples until it is replaced.
  virtual TrainingDevices* training() { return nullptr; }
  /// What moves messages between them; null if the host reaches their memory.
  virtual Mover* mover() { return nullptr; }
  /// As of Execution.
  virtual WholeStep* whole_step() { return nullptr; }
  virtual StepTimes* step_times() { return nullptr; }
  /// Where times of instructions in traced steps come from; empty: they are the host's stamps.
  virtual std::string time_source() const { return {}; }
  /// What carries messages that the transport between hosts does not; null: nothing.
  virtual std::unique_ptr<Transport> transport(const TransportContext& /*context*/) {
    return nullptr;
  }
  /// How many of them compute side by side; further ones share.
  virtual std::size_t units() const { return std::numeric_limits<std::size_t>::max(); }
  /// What there is to say after a run, a line each.
  virtual std::vector<std::string> notes() const { return {}; }
};

enum class Computes : std::uint8_t { No, Yes };

struct DeviceKind {
  std::string_view name;         ///< of `--backend`
  std::string_view description;  ///< one line
  Computes computes = Computes::No;
  /// Errors: ConfigError if the kind cannot execute this, by name of what it cannot do;
  /// MachineError if the machine has no such devices.
  std::unique_ptr<DeviceSet> (*make)(const DeviceContext& context);
  std::string (*arithmetic)() = nullptr;  ///< what computes, for a note beside the figures
  /// What it computes in; empty: anything, or what `make` says.
  std::span<const Precision> precisions = {};
};

std::span<const DeviceKind> device_kinds();

/// Errors: ConfigError if there is none of that name.
const DeviceKind& device_kind(const std::string& name);

/// Before a plan is made for nothing. Errors: ConfigError if the kind does not compute in it.
void check_precision(const DeviceKind& kind, Precision precision);

}  // namespace pipegraph
