// Channels between devices of one process. Where they share memory, the receiver copies piece by
// piece from the sender's memory; else a mover copies, which the receiver looks after.
#pragma once

#include <memory>

#include "core/program/program.h"
#include "exec/state/run_state.h"
#include "exec/transport/channels.h"
#include "exec/transport/mover.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// All must outlive it. Every device of the program is in this process. `mover`: null where the
/// host reaches the memory of all devices.
std::unique_ptr<Transport> make_in_process_transport(const Program& program,
                                                     const Channels& channels, RunState& state,
                                                     Mover* mover = nullptr);

}  // namespace pipegraph
