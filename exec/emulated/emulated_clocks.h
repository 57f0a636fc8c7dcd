// The clocks of emulated devices.
#pragma once

#include <cstdint>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/collective_schedules.h"
#include "exec/clock.h"

namespace pipegraph {

/// Virtual: times are computed from the instruction's own device and from what messages bring
/// along, whatever the load of the machine. Real: the same durations are waited for.
enum class EmulatedTime : std::uint8_t { Virtual, Real };

/// Durations are those of the analytic backend. `program` and `topology` must outlive factory and
/// clocks. Errors: those of ModelledDurations.
ClockFactory emulated_clocks(const Program& program, const Topology& topology,
                             const CollectiveOptions& collectives, EmulatedTime time);

}  // namespace pipegraph
