// Alpa's inter-operator stage as a baseline (Zheng et al., OSDI 2022): a chain of replicated stages
// of least pipeline latency, fill and drain included.
#pragma once

#include <cstddef>

#include "core/planners/planner.h"

namespace pipegraph {

class MapReader;

struct AlpaOptions {
  std::size_t blocks = 60;  ///< larger graphs are contracted to about that many
  double step = 0.002;      ///< of the sweep of the largest stage time
};

/// The chain of least "pipeline_latency_s", seconds per mini-batch by the common cost of stages, at
/// every candidate micro-batch size, ranked by the analytic iteration time. The graph is linearised
/// branch by branch.
PlannerResult plan_alpa_inter_op(const Workload& workload, const PlannerOptions& options,
                                 const AlpaOptions& own);

/// Keys `blocks`, `step`.
Planner configure_alpa_inter_op(MapReader& options);

}  // namespace pipegraph
