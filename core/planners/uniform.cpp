#include "core/planners/uniform.h"

#include "core/planners/block_partition.h"
#include "core/planners/chain_stages.h"
#include "core/planners/linearise.h"
#include "core/planners/operator_times.h"

namespace pipegraph {

PlannerResult plan_uniform(const Workload& workload, const PlannerOptions& options) {
  const std::vector<OperatorId> chain = linearise(*workload.graph);
  const std::size_t stages = std::min(chain.size(), workload.topology->size());
  const OperatorBlocks blocks = cut_chain(chain, equal_partition(chain.size(), stages));
  return best_proposal(workload, options, "uniform", [&](std::int32_t micro_batch, Bytes) {
    return one_device_each(blocks, operator_times(workload, micro_batch), micro_batch);
  });
}

Planner configure_uniform(MapReader&) { return plan_uniform; }

}  // namespace pipegraph
