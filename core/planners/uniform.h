// The plan people write by hand: the operators of the chain in equal numbers, one device a stage.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/planners/planner.h"

namespace pipegraph {

/// min(operators, devices) stages; stage i of n holds the operators [floor(i k / n), floor((i + 1)
/// k / n)) of the k of the linearised graph. With `kind: graph` the same stages, ordered by data
/// alone.
PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options);

/// Reads `stages_per_device`: so many times as many stages, stage i on device i mod devices.
Planner configure_uniform(MapReader& options);

}  // namespace pipegraph
