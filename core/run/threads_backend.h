// The model of devices that are threads of one machine: a device computes or copies what it
// receives, never both, and threads that are pinned to the same core share it.
#pragma once

#include <cstdint>
#include <memory>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/collective_schedules.h"

namespace pipegraph {

struct ThreadsOptions {
  std::int32_t cores = 0;  ///< device i is pinned to core i mod cores; 0: a core for every device
  CollectiveOptions collectives;
};

/// A device that is free takes, of what has been posted, transfers to it first (lowest id first),
/// then all-reduces, then its oldest compute. A transfer keeps the receiving device busy for the
/// topology's time of one message alone, an all-reduce each of its members for its time; it ends
/// with the last of them. A measured all-reduce counts as measured with cores so shared. k busy
/// threads on a core proceed at 1/k of its speed; a thread that waits leaves the core to the
/// others. `program` and `topology` must outlive the backend. Errors: those of CollectiveSchedules.
std::unique_ptr<Backend> make_threads_backend(const Program& program, const Topology& topology,
                                              const ThreadsOptions& options = {});

}  // namespace pipegraph
