// What a plan takes once more, without the checks that it has passed before: on shared links, or on
// other devices.
#pragma once

#include "core/planners/evaluate.h"

namespace pipegraph {

/// The iteration time, by `options.links`, of a plan that `evaluate` finds Ok.
Seconds time_again(const Workload& workload, const Plan& plan, const EvaluationOptions& options);

/// The same on shared links, whatever the options say.
Seconds time_on_shared_links(const Workload& workload, const Plan& plan, EvaluationOptions options);

}  // namespace pipegraph
