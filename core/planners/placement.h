// From places to devices: which real device takes which place of a planned stage graph, so that the
// mini-batch's messages take the least time.
#pragma once

#include <vector>

#include "core/planners/pair_prices.h"
#include "core/planners/planner.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

enum class PlacementEffort : std::uint8_t {
  Quick,     ///< single exchanges that help: for ranking
  Thorough,  ///< on small clusters also chains of exchanges that only help together, and other
             ///< first placements
};

struct PlacementStart {
  PlacementEffort effort = PlacementEffort::Thorough;
  std::vector<DeviceId> devices{};  ///< by place, all of them; empty: place i on device i
};

/// Places many plans of one workload, which must outlive it.
class StagePlacer {
 public:
  explicit StagePlacer(const Workload& workload);

  /// Stages whose `devices` are places 0 .. n-1 (n <= devices of the cluster), on real devices:
  /// place i on the device that `start` names, then exchanges of two devices that are equally fast
  /// and have memory for each other's place (core/planners/equal_devices.h), unused ones included,
  /// as long as they lower the transfer time. Clusters too large for that keep the first devices.
  std::vector<Stage> place(std::vector<Stage> stages, const PlannerOptions& options,
                           const PlacementStart& start = {});

 private:
  const Workload& workload_;
  PairPrices prices_;
  std::vector<std::size_t> kinds_;  ///< by device: the first one that is as fast
};

/// The same for one plan.
std::vector<Stage> place(const Workload& workload, std::vector<Stage> stages,
                         const PlannerOptions& options, const PlacementStart& start = {});

/// Time of all messages of a mini-batch one after the other on an idle cluster; what `place`
/// minimises, but for rings, which go node after node here.
Seconds transfer_time(const Workload& workload, const StageGraph& stages);

}  // namespace pipegraph
