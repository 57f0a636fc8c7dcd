// Stage graphs and workloads over the tiny graphs and clusters.
#pragma once

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph::test {

/// One stage per operator, in the order of their ids, stage i on device i.
std::vector<Stage> stage_per_operator(const ComputationGraph& graph, std::int32_t micro_batch = 1);

/// The same with a micro-batch of its own for every stage.
std::vector<Stage> stage_per_operator(const ComputationGraph& graph,
                                      const std::vector<std::int32_t>& micro_batch);

/// `replicas` devices for each stage, one stage after the other from device 0.
std::vector<Stage> replicated(std::vector<Stage> stages, int replicas);

/// The graph trained on the cluster, with the costs that its operators give.
Workload tiny_workload(ComputationGraph graph, Topology topology, const Training& training = {});

}  // namespace pipegraph::test
