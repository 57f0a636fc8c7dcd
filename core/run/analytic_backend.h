// The analytic backend: computes take their planned time, a transfer latency + bytes / bandwidth of
// its route's slowest link, whoever else uses it; collectives are priced step by step likewise.
#pragma once

#include <memory>

#include "core/cluster/topology.h"
#include "core/program/program.h"
#include "core/run/backend.h"
#include "core/run/collective_schedules.h"

namespace pipegraph {

/// `program` and `topology` must outlive the backend. Errors: those of CollectiveSchedules;
/// InternalError if the program uses devices that the topology lacks.
std::unique_ptr<Backend> make_analytic_backend(const Program& program, const Topology& topology,
                                               const CollectiveOptions& options = {});

}  // namespace pipegraph
