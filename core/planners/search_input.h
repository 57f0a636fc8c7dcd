// From a workload to the numbers of the stage search, and from a found plan back to stages.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/planners/search/problem.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// The search sees equal devices and one flat network: the slowest speed and least memory of the
/// cluster, and between any two devices the latency and bandwidth between nodes if there are
/// several, else inside one.
struct SearchInput {
  SearchProblem problem;
  std::vector<std::vector<OperatorId>> blocks;  ///< operators of each block, ascending
  std::vector<std::uint64_t> signature;         ///< by block: equal for blocks of equal cost
  std::vector<std::uint32_t> cost_class;        ///< by operator: equal times at every share
  ComputeRate rate;                             ///< of every device
};

/// Blocks of single operators.
SearchInput search_input(const Workload& workload);
/// Given blocks, which must partition the operators and be convex.
SearchInput search_input(const Workload& workload, std::vector<std::vector<OperatorId>> blocks);

/// Seconds of every block, forward and backward, at a share of samples: looked up once each.
class ShareTimes {
 public:
  /// Both must outlive this.
  ShareTimes(const Workload& workload, const SearchInput& input)
      : workload_(workload), input_(input) {}
  /// Valid as long as this.
  const std::vector<double>& of(std::int32_t share);

 private:
  const Workload& workload_;
  const SearchInput& input_;
  std::map<std::int32_t, std::vector<double>> times_;
};

/// Compute at micro-batches of `micro_batch` samples.
BatchCosts batch_costs(const SearchProblem& problem, ShareTimes& times, std::int32_t micro_batch);
BatchCosts batch_costs(const Workload& workload, const SearchInput& input,
                       std::int32_t micro_batch);

/// Stages in topological order (of a chain: from its first), on devices 0, 1, ... in that order.
std::vector<Stage> stages_of(const SearchInput& input, const SearchPlan& plan);

/// Powers of two up to the mini-batch, and the mini-batch.
std::vector<std::int32_t> candidate_micro_batches(std::int32_t mini_batch);

}  // namespace pipegraph
