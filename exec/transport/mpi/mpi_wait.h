// Waits for something that needs other ranks by looking: a rank that is gone must not keep this one
// for ever.
#pragma once

#include "core/base/units.h"
#include "exec/state/failure.h"
#include "exec/transport/mpi/mpi_call.h"

namespace pipegraph {

struct RankWait {
  const char* what = "waiting for all ranks";
  Seconds deadline{60};
  const Failure* failure = nullptr;  ///< ends the wait when it happens
};

/// Errors: MachineError of MPI, after the deadline, or of the failure.
void wait_for_ranks(MPI_Request& request, const RankWait& wait);

}  // namespace pipegraph
