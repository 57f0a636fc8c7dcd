// Which devices may stand in for each other: those that are equally fast at what a workload makes
// them do, and have memory enough for what is placed on them. Whatever else differs does not
// matter.
#pragma once

#include <cstddef>
#include <vector>

#include "core/planners/planner.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// By device: the first one as fast with every operator, at shares of 1, 2, 4, ... samples and of
/// the mini-batch, and with the optimizer's step.
std::vector<std::size_t> equally_fast(const Workload& workload);

bool all_equally_fast(const Workload& workload);

/// By device: how often a second it computes all operators, at an equal share of the mini-batch.
std::vector<double> device_speeds(const Workload& workload);

/// All devices, the fastest first, of equally fast ones that with most memory; nothing where
/// neither differs.
std::vector<DeviceId> best_devices_first(const Workload& workload);

/// What a plan may use of it.
Bytes available_memory(const Device& device);

/// By device of `stages`, which may be places: what its stages keep at least under the schedule of
/// `options`, and a quarter more for what only the final count knows. As many as the cluster has.
std::vector<Bytes> memory_needs(const Workload& workload, const StageGraph& stages,
                                const PlannerOptions& options);

}  // namespace pipegraph
