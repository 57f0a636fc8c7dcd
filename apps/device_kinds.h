// The kinds of device that `pipegraph run` can execute a program on: one line each in a table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"
#include "exec/emulated/emulated_clocks.h"
#include "exec/engine.h"

namespace pipegraph {

/// What is executed; outlives engines and clocks.
struct DeviceContext {
  const Workload& workload;
  const StageGraph& stages;  ///< without stages for a program that is not of a plan
  const Program& program;
  CollectiveOptions collectives;
  EmulatedTime emulated_time = EmulatedTime::Virtual;
};

struct DeviceKind {
  std::string_view name;         ///< of `--backend`
  std::string_view description;  ///< one line
  /// Errors: ConfigError if the kind cannot execute this, by name of what it cannot do.
  EngineFactory (*engines)(const DeviceContext& context);
  ClockFactory (*clocks)(const DeviceContext& context);
};

std::span<const DeviceKind> device_kinds();

/// Errors: ConfigError if there is none of that name.
const DeviceKind& device_kind(const std::string& name);

}  // namespace pipegraph
