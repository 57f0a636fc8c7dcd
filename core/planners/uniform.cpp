#include "core/planners/uniform.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/planners/block_partition.h"
#include "core/planners/bottleneck_bound.h"
#include "core/planners/chain_stages.h"
#include "core/planners/linearise.h"
#include "core/planners/more_devices.h"
#include "core/planners/operator_times.h"
#include "core/schedule/table.h"
#include "core/stage/stage_graph.h"

namespace pipegraph {

namespace {

/// The chain and its cuts, whatever the micro-batch.
struct UniformCuts {
  std::vector<OperatorId> chain;
  Dealing dealing;
  OperatorBlocks blocks;
};

UniformCuts cuts_of(const Workload& workload, std::size_t stages_per_device) {
  UniformCuts cuts{.chain = linearise(*workload.graph)};
  cuts.dealing = deal_out(cuts.chain.size(), workload.topology->size(), stages_per_device);
  cuts.blocks = cut_chain(cuts.chain, equal_partition(cuts.chain.size(), cuts.dealing.stages()));
  return cuts;
}

Proposal propose(const Workload& workload, const UniformCuts& cuts, std::int32_t micro_batch) {
  return one_device_each(cuts.blocks, operator_times(workload, micro_batch), micro_batch,
                         cuts.dealing.places);
}

PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options,
                           std::size_t stages_per_device) {
  const UniformCuts cuts = cuts_of(workload, stages_per_device);
  BottleneckBound bound(workload);
  const auto judged = [&](std::int32_t micro_batch, const LeftFree&) {
    Proposal proposal = propose(workload, cuts, micro_batch);
    proposal.search.family = "equal numbers, branch by branch";
    if (auto note = cuts.dealing.note(cuts.chain.size(), stages_per_device))
      proposal.search.notes.push_back(*note);
    return bound.judge(std::move(proposal), micro_batch);
  };
  const auto on_others = [&](const Workload& other, std::int32_t micro_batch) {
    return propose(other, cuts_of(other, stages_per_device), micro_batch).stages;
  };
  return with_fewest_devices(best_proposal(workload, options, "uniform", judged), workload, options,
                             {on_others});
}

/// Ordered by data alone, stages need not follow each other, as those that take turns do.
void check_turns(const Workload& workload, const PlannerOptions& options,
                 std::size_t stages_per_device) {
  const ScheduleEntry* schedule = find_schedule(options.schedule);
  if (schedule == nullptr || schedule->sharing != DeviceSharing::Turns) return;
  if (options.kind != PlanKind::Graph) return;
  const UniformCuts cuts = cuts_of(workload, stages_per_device);
  const Proposal proposal = propose(workload, cuts, 1);
  const StageGraph stages(*workload.graph, proposal.stages, options.kind, options.skip_transfer);
  const auto depths = longest_paths_to_sinks(stages.edges());
  if (static_cast<std::size_t>(std::ranges::max(depths)) < stages.size())
    throw ConfigError({.key = "kind"},
                      fmt::format("'{}' takes turns along a chain, and the stages of this graph do "
                                  "not all follow each other",
                                  schedule->name),
                      "kind: sequential, or schedule: 1f1b");
}

}  // namespace

PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options) {
  return plan_uniform(workload, options, 1);
}

Planner configure_uniform(MapReader& map) {
  const std::size_t stages_per_device = read_stages_per_device(map);
  return {Planner(
              [=](const Workload& workload, const PlannerOptions& options) {
                return plan_uniform(workload, options, stages_per_device);
              },
              [=](const Workload& workload, const PlannerOptions& options) {
                check_turns(workload, options, stages_per_device);
              }),
          stages_per_device};
}

}  // namespace pipegraph
