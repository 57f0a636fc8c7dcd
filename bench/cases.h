// The cases that benchmarks measure, made the way a plan makes them: graph, stages, schedule,
// program.
#pragma once

#include <string>

#include "core/program/program.h"
#include "core/schedule/schedule.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph::bench {

struct Case {
  Workload workload;
  StageGraph stages;
  Schedule schedule;
};

/// A chain of stages, one device each, 1F1B: forward 1 ms, backward 2 ms, 1 MiB a message, on a
/// uniform cluster of 25 GB/s and 5 us.
Case chain_case(int stages, int micro_batches);

/// A cluster of topologies/ for replicas of a pipeline of 8 stages, stage after stage.
struct ReplicasCluster {
  std::string file;  ///< "dgx_h100.yaml"
  int devices_per_node = 8;
};
/// A network card per GPU: no two transfers meet.
inline const ReplicasCluster k_dgx_h100{"dgx_h100.yaml", 8};
/// Two GPUs share a network card: reductions of two stages meet on it.
inline const ReplicasCluster k_summit{"summit.yaml", 4};

/// 8 stages with `replicas` devices each, 64 micro-batches, 1F1B: forward 1 ms, backward 2 ms,
/// 1 MiB a message, 1 GiB of parameters a stage, reduced between the nodes.
Case replicas_case(int replicas, const ReplicasCluster& cluster);

Program lower_case(const Case& made);

/// Highest use of memory by this process so far, in bytes.
double peak_memory_bytes();
/// CPU seconds of this process so far.
double cpu_seconds();

}  // namespace pipegraph::bench
