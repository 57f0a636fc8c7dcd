// What all devices of a run share while it runs.
#pragma once

#include "exec/state/failure.h"
#include "exec/state/lane_progress.h"

namespace pipegraph {

/// Shared by the executor and the transport of a process.
struct RunState {
  explicit RunState(const Program& program) : progress(program) {}
  Failure failure;
  LaneProgress progress;
};

}  // namespace pipegraph
