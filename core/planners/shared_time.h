// What a plan takes where transfers share links, without the checks that it has passed before: many
// plans are run once more that way.
#pragma once

#include "core/planners/evaluate.h"

namespace pipegraph {

/// The iteration time of a plan that `evaluate` finds Ok with these options, on the sharing
/// backend.
Seconds time_on_shared_links(const Workload& workload, const Plan& plan,
                             const EvaluationOptions& options);

}  // namespace pipegraph
