// The iteration time of stages by the recurrence of core/schedule/iteration_time.h, with the costs
// that the analytic backend would take: what planners rank many plans by.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/collective/collective.h"
#include "core/planners/layout.h"
#include "core/planners/planner.h"
#include "core/run/route_costs.h"
#include "core/schedule/iteration_time.h"
#include "core/schedule/table.h"

namespace pipegraph {

struct LayoutFigures {
  double seconds = 0.0;    ///< of an iteration; infinite if the orders deadlock
  bool too_large = false;  ///< for the memory of some stage's devices, by least_memory
  bool tight = false;      ///< takes more than half of it, so that messages may not fit beside it
};

class LayoutTimes {
 public:
  /// All must outlive this.
  LayoutTimes(const Workload& workload, const PlannerOptions& options, const SearchInput& input);

  /// With the stages on the devices they name; the time equals the analytic backend's. Nothing
  /// outside the recurrence's domain: for stages that share devices, limited receive slots, and no
  /// overlap.
  std::optional<LayoutFigures> figures(const Layout& layout);
  /// The same of the layout's stage graph.
  std::optional<LayoutFigures> figures(const StageGraph& stages, std::int64_t extra_in_flight);

 private:
  using ByOperator = std::vector<double>;

  /// Valid as long as `stages` and this; nothing where a group is too large for the collective.
  std::optional<IterationCosts> costs_of(const StageGraph& stages);
  Seconds pass(const Stage& stage, Pass pass, std::int32_t samples, DeviceId device);
  const ByOperator& times(Pass pass, std::int32_t samples);
  Seconds all_reduce(const std::vector<DeviceId>& devices, Bytes bytes);

  const Workload& workload_;
  const PlannerOptions& options_;
  const SearchInput& input_;
  const ScheduleEntry* schedule_;
  const CollectiveEntry* collective_;
  bool known_;  ///< the options are within the domain
  bool homogeneous_;
  RouteCosts routes_;
  std::map<std::pair<Pass, std::int32_t>, ByOperator> times_;  ///< of equal devices
  std::map<std::pair<std::vector<DeviceId>, Bytes>, Seconds> reductions_;
};

}  // namespace pipegraph
