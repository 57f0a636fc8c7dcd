// The cores that this process may use, and keeping a thread on one of them.
#pragma once

#include <vector>

namespace pipegraph {

/// From the affinity mask of the calling thread, ascending; at least one.
std::vector<int> usable_cores();

/// Errors: MachineError.
void pin_this_thread(int core);

}  // namespace pipegraph
