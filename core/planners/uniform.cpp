#include "core/planners/uniform.h"

#include <utility>

#include "core/planners/block_partition.h"
#include "core/planners/bottleneck_bound.h"
#include "core/planners/chain_stages.h"
#include "core/planners/linearise.h"
#include "core/planners/operator_times.h"

namespace pipegraph {

namespace {

PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options,
                           std::size_t stages_per_device) {
  const std::vector<OperatorId> chain = linearise(*workload.graph);
  const Dealing dealing = deal_out(chain.size(), workload.topology->size(), stages_per_device);
  const OperatorBlocks blocks = cut_chain(chain, equal_partition(chain.size(), dealing.stages()));
  BottleneckBound bound(workload);
  return best_proposal(workload, options, "uniform", [&](std::int32_t micro_batch, Bytes) {
    Proposal proposal =
        one_device_each(blocks, operator_times(workload, micro_batch), micro_batch, dealing.places);
    proposal.search.family = "equal numbers, branch by branch";
    return bound.judge(std::move(proposal), micro_batch);
  });
}

}  // namespace

PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options) {
  return plan_uniform(workload, options, 1);
}

Planner configure_uniform(MapReader& map) {
  const std::size_t stages_per_device = read_stages_per_device(map);
  return [=](const Workload& workload, const PlannerOptions& options) {
    return plan_uniform(workload, options, stages_per_device);
  };
}

}  // namespace pipegraph
