// As the analytic backend, but transfers and the steps of collectives that share links share their
// bandwidth, max-min fairly: what ranks plans on a network that many stages use at once.
#pragma once

#include <memory>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/collective_schedules.h"

namespace pipegraph {

/// `program` and `topology` must outlive the backend. Errors: those of CollectiveSchedules.
std::unique_ptr<Backend> make_sharing_backend(const Program& program, const Topology& topology,
                                              const CollectiveOptions& options = {});

}  // namespace pipegraph
