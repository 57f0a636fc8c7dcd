// Least bottleneck with a micro-batch size and a k of its own for every stage. What a stage needs
// in flight then depends on those of its successors; a label remembers, for every tensor that
// stages above will produce, what each way to run its producer would need.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/planners/search/pairs.h"

namespace pipegraph {

struct MixedProblem {
  SearchProblem base;
  std::vector<BatchCosts> sizes;  ///< the micro-batch sizes a stage may have
  std::vector<int> ks;            ///< forwards, then backwards, in a row that it may run
};

struct MixedStage {
  std::vector<Digraph::Node> blocks;  ///< ascending
  int devices = 1;
  std::size_t size = 0;  ///< into MixedProblem::sizes
  int k = 1;
  std::int64_t in_flight = 1;  ///< samples, by the rule for 1F1B and kFkB on a stage graph
  double time_per_sample = 0.0;
};

struct MixedOutcome {
  std::vector<MixedStage> stages;  ///< from the sinks up; none: nothing fits
  double max_time_per_sample = 0.0;
  double lower_bound = 0.0;  ///< seconds per sample, over the family
  bool exact = false;        ///< proved least over the family
  std::uint64_t probes = 0;
};

/// In flight on the stage graph, whatever the problem's rule says. At most `most_labels` per ideal
/// are kept; where that drops any, the answer is not exact.
MixedOutcome search_mixed(const MixedProblem& problem, const PairTable& pairs,
                          std::size_t most_labels);

}  // namespace pipegraph
