// What a planner is: a function from a workload to a plan or the reason why there is none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/plan/plan.h"
#include "core/planners/evaluate.h"
#include "core/stage/workload.h"

namespace pipegraph {

enum class DeviceUse : std::uint8_t { AtMost, Exactly };

/// Which of the plans for the candidate micro-batch sizes is returned.
enum class Choose : std::uint8_t { IterationTime, Objective };

/// What all planners understand.
struct PlannerOptions {
  std::string name;  ///< of the plan
  PlanKind kind = PlanKind::Graph;
  std::string schedule = "1f1b";
  std::int64_t extra_in_flight = 0;  ///< samples
  SkipTransfer skip_transfer = SkipTransfer::Direct;
  std::int32_t receive_slots = 0;  ///< per channel; 0 = as many as the sender has in flight
  std::vector<std::int32_t> micro_batches;  ///< candidates; empty: powers of two and the mini-batch
  DeviceUse device_use = DeviceUse::AtMost;
  Choose choose = Choose::IterationTime;
  EvaluationOptions evaluation;
  /// Time since planning began, for planners with a time limit; empty: no limit holds.
  std::function<Seconds()> elapsed;
};

using PlannerResult = std::variant<Plan, Infeasible>;

/// Pure: equal arguments, equal result. A returned plan fits every device's memory. Errors:
/// ConfigError for options that contradict each other or the workload.
using Planner = std::function<PlannerResult(const Workload& workload, const PlannerOptions&)>;

}  // namespace pipegraph
