// From a plan to what it would do: the way every plan takes, whoever made it. Planners rank what
// they propose with it, and the command line hands what it prepares to any backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/plan/plan.h"
#include "core/program/memory.h"
#include "core/program/program.h"
#include "core/program/validate.h"
#include "core/run/analytic_backend.h"
#include "core/run/timeline.h"
#include "core/schedule/schedule.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Forwards and backwards of a plan, on all replicas, that are scheduled and lowered at most. They
/// and their messages take about 3.5 GiB of memory.
inline constexpr double k_most_passes = 1 << 23;

/// Infeasible: the planner found no plan, or the plan has more than k_most_passes.
enum class PlanStatus : std::uint8_t { Ok, Infeasible, OutOfMemory, Deadlock };
std::string_view to_text(PlanStatus status);  ///< "ok", "infeasible", "out_of_memory", "deadlock"

/// What a transfer has of its links while others want them.
enum class LinkRates : std::uint8_t {
  Own,     ///< everything: the analytic backend
  Shared,  ///< its max-min fair share: the sharing backend, which costs more
};

struct EvaluationOptions {
  bool overlap = true;  ///< false: communication blocks the compute lane of every device
  CollectiveOptions collectives;
  LinkRates links = LinkRates::Own;
};

/// A plan made ready for any backend.
struct PreparedPlan {
  PlanStatus status = PlanStatus::Ok;
  std::string reason;  ///< why the status is not Ok
  StageGraph stages;
  Schedule schedule;               ///< empty if infeasible or after a deadlock of the schedule
  std::optional<Program> program;  ///< absent then; present but refused if receive slots deadlock
  ValidationReport validation;
  MemoryReport memory;  ///< empty after a deadlock
};

/// Stage graph, schedule, program, validation and memory. Errors: ConfigError for a plan that
/// contradicts itself, the graph or the cluster; InternalError if our own lowering is not valid.
PreparedPlan prepare(const Workload& workload, const Plan& plan,
                     const EvaluationOptions& options = {});

struct Evaluation {
  PreparedPlan prepared;
  std::optional<Timeline> timeline;  ///< if the status is Ok
  Seconds iteration_time{0};         ///< its makespan
  bool ok() const { return prepared.status == PlanStatus::Ok; }
};

/// prepare, and a run on the analytic or the sharing backend if the plan is Ok.
Evaluation evaluate(const Workload& workload, const Plan& plan,
                    const EvaluationOptions& options = {});

}  // namespace pipegraph
