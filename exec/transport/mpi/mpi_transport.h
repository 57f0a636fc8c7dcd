// Channels between devices of different processes. A message is three: the sender's header (sizes
// and when it was posted), the data, and the receiver's receipt, which ends the send.
#pragma once

#include <memory>
#include <vector>

#include "core/program/program.h"
#include "exec/state/run_state.h"
#include "exec/transport/channels.h"
#include "exec/transport/mover.h"
#include "exec/transport/mpi/mpi_session.h"
#include "exec/transport/transport.h"

namespace pipegraph {

struct MpiTransportSettings {
  std::vector<std::int32_t> rank_of_device;
  /// A rank that is not heard of for this long is reported as a failure. Below the deadline of the
  /// executor, so that the rank is named and not only the instructions that wait for it.
  Seconds silence{45};
  /// Of messages within a process; see in_process.h.
  Mover* mover = nullptr;
};

/// All must outlive it. Channels within this process are in_process.h's. All ranks make theirs at
/// the same place of the program.
std::unique_ptr<Transport> make_mpi_transport(const MpiSession& session, const Program& program,
                                              const Channels& channels, RunState& state,
                                              MpiTransportSettings settings);

}  // namespace pipegraph
