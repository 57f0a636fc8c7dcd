#include "bench/baselines/planner_cases.h"

#include <algorithm>
#include <limits>

#include "core/planners/candidates.h"
#include "core/planners/contraction.h"
#include "core/planners/search/family.h"
#include "core/planners/search/optimise.h"
#include "core/planners/search/polish.h"
#include "tests/support/tiny_stages.h"
#include "topologies/cluster_reader.h"

namespace pipegraph::bench {

Workload on_summit(const ComputationGraph& graph, const OnSummit& setting) {
  const std::string cluster = "{file: " PIPEGRAPH_SOURCE_DIR "/topologies/summit.yaml, nodes: " +
                              std::to_string((setting.devices + 3) / 4) + ", devices_per_node: " +
                              std::to_string(std::min(setting.devices, 4)) + "}";
  return test::tiny_workload(graph, read_cluster(YamlValue::parse(cluster, "bench")),
                             {.mini_batch = setting.samples_per_device * setting.devices,
                              .precision = Precision::Fp32Tensor});
}

GraphpipeRun search_all_sizes(const Workload& workload) {
  const SearchInput input = contracted_input(workload, 200).input;
  const IdealFamily family = choose_family(input.problem, input.signature);
  const PairTable pairs(input.problem, family);
  ShareTimes times(workload, input);
  GraphpipeRun run{std::numeric_limits<double>::infinity(), family.ideals.size()};
  for (const std::int32_t size : micro_batch_candidates({}, workload.training.mini_batch)) {
    const BatchCosts costs = batch_costs(input.problem, times, size);
    Prober prober(input.problem, pairs, costs);
    SearchOutcome found = least_bottleneck(input.problem, costs, prober);
    if (!found.plan) continue;
    if (!family.complete) found.plan = polish(input.problem, costs, std::move(*found.plan)).plan;
    const SearchPlan plan = break_ties(input.problem, costs, prober, std::move(*found.plan));
    run.least_s = std::min(run.least_s, plan.max_time_per_sample);
  }
  return run;
}

}  // namespace pipegraph::bench
