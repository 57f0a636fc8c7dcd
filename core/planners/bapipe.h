// BaPipe as a baseline (Zhao et al., arXiv 2012.12544): a balanced chain, one device a stage, each
// by its own speed, and of several schedules the one that is fastest on it.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/planners/planner.h"

namespace pipegraph {

class MapReader;

/// A chain on devices in order, of which the first `ends.size()` are used: device i runs positions
/// up to `ends[i]`.
struct UnequalPartition {
  std::vector<std::size_t> ends;
  double largest = 0.0;  ///< cost of the costliest block
};

/// Seconds of positions [begin, end) of a chain on a device.
using BlockCost = std::function<double(std::size_t device, std::size_t begin, std::size_t end)>;

/// Blocks of least largest cost of a chain of `length` positions over at most `devices` devices, in
/// their order, none skipped; of equals the fewest. The cost may be anything, so that a block may
/// be worth more work to avoid a costly cut. `at_least`, if given, is never above the cost and
/// never falls where a block grows at its beginning: it saves time. Time: devices x length squared
/// at most.
UnequalPartition unequal_partition(std::size_t length, std::size_t devices, const BlockCost& cost,
                                   const BlockCost& at_least = {});

/// At every candidate micro-batch size the chain whose largest stage, the longer of compute and of
/// its transfers, is least; each under `gpipe`, under `1f1b`, and under `1f1b` with another
/// micro-batch in flight that overlaps transfers. Of all that fit the one of least analytic
/// iteration time. Its objective is "max_stage_time_per_sample_s".
PlannerResult plan_bapipe(const Workload& workload, const PlannerOptions& options);

/// The same under the options' schedule alone, where it knows more in flight also with another
/// micro-batch.
PlannerResult plan_bapipe_by_schedule(const Workload& workload, const PlannerOptions& options);

/// By the schedule where `schedule` is given.
Planner configure_bapipe(MapReader& options);

}  // namespace pipegraph
