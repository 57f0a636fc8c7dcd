// What all devices of a run share while it runs.
#pragma once

#include <string>
#include <vector>

#include "exec/state/failure.h"
#include "exec/state/lane_progress.h"

namespace pipegraph {

/// Shared by the executor and the transport of a process.
struct RunState {
  explicit RunState(const Program& program) : progress(program) {}
  Failure failure;
  LaneProgress progress;
};

/// The message of a failed run: rank, device and instruction of the fault, then the grid of devices
/// with each one's current instruction and what it waits for.
std::string failure_text(const Program& program, const Fault& fault,
                         const std::vector<char>& completed);

}  // namespace pipegraph
