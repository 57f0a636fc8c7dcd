// Stages of equal time, one device each: the chain cut by block partition, or every branch of the
// outermost fork-join by itself.
#pragma once

#include "core/base/yaml_reader.h"
#include "core/planners/planner.h"

namespace pipegraph {

/// Sequential: the linearised graph in min(operators, devices) blocks of least largest time.
/// Graph: each branch of the outermost fork-join is cut likewise over its share of the devices;
/// with fewer devices than branches, branches are grouped, one stage a group. What follows the
/// branches joins the lightest of their last stages, what precedes them the lightest of their first
/// stages. A graph without such branches is cut as a chain, and the search report says why.
PlannerResult plan_balanced(const Workload& workload, const PlannerOptions& options);

/// Reads `stages_per_device`: a sequential plan has so many times as many stages, stage i on device
/// i mod devices.
Planner configure_balanced(MapReader& options);

}  // namespace pipegraph
