// The oracle as a planner: every convex partition and every split of the devices, for small graphs.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/planners/planner.h"

namespace pipegraph {

inline constexpr std::size_t k_most_exhaustive_operators = 12;
inline constexpr std::size_t k_most_exhaustive_devices = 6;
/// Sequences of nested sets of operators: what is enumerated.
inline constexpr double k_most_exhaustive_sequences = 400'000;

/// The plan of least maximal time per sample by the rules of `graphpipe`'s search, found by
/// enumeration. Infeasible above the limits, with the figure that exceeds them.
PlannerResult plan_exhaustive(const Workload& workload, const PlannerOptions& options);

Planner configure_exhaustive(MapReader& options);

}  // namespace pipegraph
