// Piper's planner (Tarnawski et al., NeurIPS 2021) as a baseline: stages between nested downsets,
// data and tensor parallelism, recomputation, all later stages counted in a stage's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/planners/layer_input.h"
#include "core/planners/planner.h"

namespace pipegraph {

class MapReader;

struct PiperOptions {
  Granularity granularity = Granularity::Layer;
  KnapsackMethod knapsack = KnapsackMethod::Exact;
  TransferCharge transfer = TransferCharge::Consumer;
  bool recompute = false;             ///< layers may repeat their forward
  std::size_t downsets = 15'000;      ///< graphs with more are searched over a smaller family
  std::optional<Seconds> time_limit;  ///< then the best plan so far
  std::uint64_t pairs = 0;            ///< of downsets, looked at in all; then likewise; 0: no limit
};

/// Of every candidate size of one replica's micro-batch the plan of least maximal time, ranked by
/// the analytic iteration time; a stage of d replicas takes micro-batches of d times that size. Its
/// objective is "max_time_per_sample_s". Exact, without a limit in time, where all downsets are
/// searched. Where the final count of memory refuses every plan found, the search counts what the
/// schedule keeps in flight instead of Piper's sum of replicas.
PlannerResult plan_piper(const Workload& workload, const PlannerOptions& options,
                         const PiperOptions& own);

/// Keys `granularity: layer|operator`, `knapsack: exact|greedy`, `transfer: consumer|edge`,
/// `recompute: none|choose`, `downsets`, `time_limit`. Stages of a plan are not tensor parallel.
Planner configure_piper(MapReader& options);

}  // namespace pipegraph
