// The emulated device: no arithmetic, each instruction takes its modelled time. It tests everything
// that is not arithmetic with many devices on few cores.
#pragma once

#include <cstdint>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "exec/clock.h"
#include "exec/engine.h"

namespace pipegraph {

/// Virtual: times are computed and travel with the messages, whatever the machine's load. Real:
/// the same durations are waited for.
enum class EmulatedTime : std::uint8_t { Virtual, Real };

/// `program` must outlive the engines.
EngineFactory emulated_engines(const Program& program);

/// Durations as the analytic backend has them. All arguments must outlive the clocks. Errors: those
/// of check_collectives.
ClockFactory emulated_clocks(const Program& program, const Topology& topology,
                             const CollectiveOptions& collectives, EmulatedTime time);

}  // namespace pipegraph
