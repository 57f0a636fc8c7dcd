// What a user reads when a run has failed.
#pragma once

#include <string>
#include <vector>

#include "core/program/program.h"
#include "exec/state/failure.h"

namespace pipegraph {

/// Rank, device and instruction of the fault; the deadlock, if the fault is a device's and
/// instructions wait for each other in a cycle; then the grid of devices with each one's current
/// instruction and what it waits for. `completed` by instruction id.
std::string failure_text(const Program& program, const Fault& fault,
                         const std::vector<char>& completed);

}  // namespace pipegraph
