// Graph pipeline plans of least bottleneck (GraphPipe, arXiv 2406.17145): stages as a graph,
// synchronous 1F1B, data parallelism inside a stage, memory by in-flight samples on the stage
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/planners/planner.h"
#include "core/planners/search/family.h"
#include "core/planners/search/recursion.h"

namespace pipegraph {

class MapReader;

enum class GraphpipeSearchMethod : std::uint8_t {
  Ideals,  ///< over a family of ideals
  Paper,   ///< the paper's recursion on the series-parallel tree
};

enum class MicroBatchSizes : std::uint8_t {
  Uniform,   ///< one size for all stages, k = 1
  PerStage,  ///< every stage its own, and its own k
};

struct GraphpipeOptions {
  CommunicationRule communication = CommunicationRule::Sum;
  GraphpipeSearchMethod search = GraphpipeSearchMethod::Ideals;
  Joins joins = Joins::Own;  ///< of the paper's recursion
  DeviceCounts device_counts = DeviceCounts::All;
  MicroBatchSizes micro_batches = MicroBatchSizes::Uniform;
  std::vector<int> ks{1};    ///< of stages with sizes of their own
  FamilyOptions family;      ///< limits on the ideals that are searched
  std::size_t blocks = 200;  ///< larger graphs are contracted to about that many
  /// The same limits with sizes per stage, where they are lower unless given.
  std::optional<std::size_t> ideals_per_stage, blocks_per_stage;
};

/// The plan of least maximal time per sample at every candidate micro-batch size (ties: least
/// depth, then least memory), ranked by the analytic iteration time. Its objective is
/// "max_time_per_sample_s". Exact where the family of ideals is complete.
PlannerResult plan_graphpipe(const Workload& workload, const PlannerOptions& options,
                             const GraphpipeOptions& own);

/// Keys `communication: sum|overlap`, `device_counts: all|powers_of_two` (default: all, for the
/// paper's search powers of two), `search: ideals|paper`, `ideals` (of both kinds of families) and
/// `blocks` of the former, `joins: own|with_branch` of the latter; `micro_batches:
/// uniform|per_stage` and, with the latter, `k` (a number or a list).
Planner configure_graphpipe(MapReader& options);

}  // namespace pipegraph
