// PipeDream's planner (Narayanan et al., SOSP 2019) as a synchronous baseline: a chain of
// replicated stages on one or two levels of bandwidth, one update per mini-batch.
#pragma once

#include <cstddef>
#include <vector>

#include "core/planners/chain_input.h"
#include "core/planners/planner.h"

namespace pipegraph {

class MapReader;

/// Which cuts of a graph count as cuts of a chain.
enum class Linearisation : std::uint8_t {
  BranchByBranch,  ///< prefixes of one order: branch after branch, joins last
  Antichain,       ///< all downsets
};

enum class ChainCost : std::uint8_t {
  Own,     ///< PipeDream's: the larger of compute with synchronisation and of transfer
  Common,  ///< that of graphpipe: compute and transfers, no synchronisation, one level
};

struct PipedreamOptions {
  Linearisation linearise = Linearisation::BranchByBranch;
  ChainCost cost = ChainCost::Own;
  SyncRule sync = SyncRule::Ring;
  std::vector<ChainLevel> levels;  ///< empty: the cluster's own
  std::size_t ideals = 4'000;      ///< graphs with more are linearised branch by branch
  std::size_t blocks = 200;        ///< larger graphs are contracted to about that many
};

/// The chain of least maximal time per sample at every candidate micro-batch size, ranked by the
/// analytic iteration time. Its objective is "max_time_per_sample_s".
PlannerResult plan_pipedream(const Workload& workload, const PlannerOptions& options,
                             const PipedreamOptions& own);

/// Keys `linearise: branch_by_branch|antichain`, `cost: own|common`, `sync: ring|sum|max`, `levels:
/// [{workers: 4, bandwidth: 10 GB/s}, ...]` (inner first), `ideals`, `blocks`.
Planner configure_pipedream(MapReader& options);

}  // namespace pipegraph
