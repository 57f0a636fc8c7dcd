// Plans of tiny graphs, all the way to their program.
#pragma once

#include "core/program/lower.h"
#include "core/program/validate.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {

struct PlanOptions {
  PlanKind kind = PlanKind::Graph;
  SkipTransfer skip = SkipTransfer::Direct;
  std::string schedule = "1f1b";
  LoweringOptions lowering{};
};

/// A plan with everything that was made on the way.
struct TinyPlan {
  Workload workload;
  StageGraph stages;
  Schedule schedule;
  Program program;

  ValidationReport validated() const { return validate(program, workload, stages); }
};

inline TinyPlan make_plan(const Workload& workload, std::vector<Stage> stages,
                          const PlanOptions& options = {}) {
  StageGraph graph(*workload.graph, std::move(stages), options.kind, options.skip);
  Schedule schedule = std::get<Schedule>(make_schedule(
      graph, *find_schedule(options.schedule), {.mini_batch = workload.training.mini_batch}));
  Program program = lower(workload, graph, schedule, options.lowering);
  return {workload, std::move(graph), std::move(schedule), std::move(program)};
}

/// The graph on an ideal cluster, one stage per operator and device.
inline TinyPlan plan_of(const ComputationGraph& graph, std::int32_t mini_batch,
                        const PlanOptions& options = {}) {
  const Workload workload = tiny_workload(graph, ideal_cluster(static_cast<int>(graph.size())),
                                          {.mini_batch = mini_batch});
  return make_plan(workload, stage_per_operator(graph), options);
}

/// Ids of the instructions with this text on this device, ascending.
std::vector<InstructionId> find(const Program& program, DeviceId device, std::string_view token);
/// The only one.
InstructionId find_one(const Program& program, DeviceId device, std::string_view token);
/// Texts of what an instruction waits for.
std::vector<std::string> waits_of(const Program& program, InstructionId id);

}  // namespace pipegraph::test
