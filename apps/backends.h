// Running a program on the backend that a scenario names.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/timeline.h"
#include "core/scenario/scenario.h"

namespace pipegraph {

struct BackendRun {
  Timeline timeline;
  Seconds time{0};   ///< of this machine
  std::string note;  ///< what the network model does to the cluster's numbers; may be empty
};

/// Whether this build has it: SimGrid may be left out (PIPEGRAPH_SIM=OFF).
bool is_built_in(BackendKind kind);

/// Chooses the analytic backend where SimGrid would simulate only because nothing else is named,
/// and is not built in.
void do_without_simgrid(Simulation& simulation);

/// That it was chosen so; else empty.
std::string note_of_choice(const Simulation& simulation);

/// `completed` counts instructions as they complete; it must lie in memory shared with children.
/// Errors: ConfigError if the backend is not built in, InternalError if a valid program got stuck.
BackendRun run_backend(const Program& program, const Topology& topology,
                       const Simulation& simulation, std::atomic<std::uint64_t>& completed);

}  // namespace pipegraph
