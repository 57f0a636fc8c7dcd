// How long an iteration takes, from the orders of the stages alone: a recurrence over passes and
// messages, without a program. It ranks plans that are too many to be lowered and run, and on its
// domain it equals the analytic backend.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/model/computation_graph.h"
#include "core/schedule/schedule.h"

namespace pipegraph {

/// What things take, each on its own. The functions are asked once per replica (or pair) and size.
struct IterationCosts {
  /// A pass on a replica's share, of `samples` > 0.
  std::function<Seconds(StageId stage, std::int32_t replica, Pass pass, std::int32_t samples)> pass;
  std::function<Seconds(DeviceId from, DeviceId to, Bytes bytes)> message;
  /// Sums of gradients, each starting when all backwards of its stages have ended. Those of equal
  /// stages follow each other.
  struct Reduction {
    std::vector<StageId> stages;  ///< ascending
    Seconds time{0};
  };
  std::vector<Reduction> reductions;
  /// The last step of a replica, after the reductions of its stage.
  std::function<Seconds(StageId stage, std::int32_t replica)> optimizer;
};

/// The domain: acyclic stages, each on devices of its own. Besides, communication must overlap
/// with compute (a lane per channel), with receive slots that never run out and links that messages
/// do not share; micro-batch sizes, k, samples in flight, replicas and costs are free.
bool iteration_time_is_known(const StageGraph& stages);

/// End of the last pass, sum or optimizer step; nothing if the orders wait for each other for ever.
/// `orders` are by stage id, as a schedule gives them. Errors: InternalError outside the domain.
std::optional<Seconds> iteration_time(const ComputationGraph& graph, const StageGraph& stages,
                                      const std::vector<StageSchedule>& orders,
                                      const IterationCosts& costs);

}  // namespace pipegraph
