// From a workload to the numbers of PipeDream's search, and from a found chain back to stages.
#pragma once

#include <cstdint>
#include <vector>

#include "core/planners/search/chain_problem.h"
#include "core/planners/search_input.h"

namespace pipegraph {

struct ChainInputOptions {
  std::int32_t micro_batch = 1;
  std::vector<ChainLevel> levels;  ///< inner first; their product is at most the devices
  SyncRule sync = SyncRule::Ring;
  bool exactly = false;
};

struct ChainInput {
  ChainProblem problem;
  SearchInput search;
};

/// Blocks of single operators.
ChainInput chain_input(const Workload& workload, const ChainInputOptions& options);
ChainInput chain_input(const Workload& workload, SearchInput search,
                       const ChainInputOptions& options);

/// The cluster's own: nodes of equally many devices as the inner level, if there are several and
/// they have several; else one level.
std::vector<ChainLevel> levels_of(const Topology& topology);

/// Stages in the chain's order on devices 0, 1, ... without gaps, machine after machine.
std::vector<Stage> stages_of(const ChainInput& input, const ChainPlan& plan);

}  // namespace pipegraph
