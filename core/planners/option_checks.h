// What can be said against a planner's options before it plans: options that contradict each other,
// the model or the cluster.
#pragma once

#include "core/planners/planner.h"

namespace pipegraph {

/// Errors: ConfigError whose key is the option, for a schedule that cannot have what the options
/// ask of it on this workload, and what `planner` checks itself. Plans nothing.
void check_options(const Planner& planner, const Workload& workload, const PlannerOptions& options);

}  // namespace pipegraph
