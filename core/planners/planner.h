// What a planner is: a function from a workload to a plan or the reason why there is none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
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

/// A planner with its own options. Pure: equal arguments, equal result. A returned plan fits every
/// device's memory. Errors: those of check_options (option_checks.h).
class Planner {
 public:
  /// Errors: ConfigError, whose key is the option, for what contradicts other options or the
  /// workload. Takes no time to speak of.
  using Check = std::function<void(const Workload& workload, const PlannerOptions&)>;

  Planner() = default;
  template <class Run>
  requires std::is_invocable_r_v<PlannerResult, Run, const Workload&, const PlannerOptions&>
  Planner(Run run, Check check = {})  // implicit: functions and lambdas are planners
      : run_(std::move(run)), check_(std::move(check)) {}
  /// Puts so many stages on each device.
  Planner(Planner planner, std::size_t stages_per_device) : Planner(std::move(planner)) {
    stages_per_device_ = stages_per_device;
  }

  PlannerResult operator()(const Workload& workload, const PlannerOptions& options) const {
    return run_(workload, options);
  }
  /// Of its own options.
  void check(const Workload& workload, const PlannerOptions& options) const {
    if (check_) check_(workload, options);
  }
  std::size_t stages_per_device() const { return stages_per_device_; }

 private:
  std::function<PlannerResult(const Workload& workload, const PlannerOptions&)> run_;
  Check check_;
  std::size_t stages_per_device_ = 1;
};

}  // namespace pipegraph
