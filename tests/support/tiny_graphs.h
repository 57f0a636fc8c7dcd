// The small computation graphs that tests stand on, with explicit times: by default a forward of
// 1 s and a backward of 2 s per sample, tensors of 1 KiB per sample, no parameters.
#pragma once

#include "core/model/computation_graph.h"

namespace pipegraph::test {

struct TinyOperator {
  Seconds forward{1};
  Seconds backward{2};
  Bytes output{1024};
  Bytes parameters{};
  std::optional<Bytes> saved{};  ///< default: inputs and output
};

/// An operator of those costs.
Operator tiny_operator(std::string name, std::vector<OperatorId> inputs,
                       const TinyOperator& costs = {});

/// "s0" -> "s1" -> ...
ComputationGraph chain_graph(int stages, const TinyOperator& costs = {});
ComputationGraph chain_graph(int stages, Seconds forward, Seconds backward, Bytes output);

/// "fork" -> {"left", "right"} -> "join".
ComputationGraph diamond_graph(const TinyOperator& costs = {});

/// "stem" -> `branches` chains of `length` operators "b0_0" -> "b0_1" ... -> "join". Ids: the stem,
/// branch after branch, the join.
ComputationGraph fork_join_graph(int branches, int length, const TinyOperator& costs = {});

/// "a0" -> "a1" -> "a2" -> "a3" and "b0" ... "b3", b3 feeding a3, which holds the join. Ids: the
/// first branch, then the second.
ComputationGraph two_branches_graph(int length = 4, const TinyOperator& costs = {});

/// "s0" -> "s1" -> "s2" -> "s3" with the skips s0 -> s2 and s1 -> s3: not series-parallel.
ComputationGraph crossing_skips_graph(const TinyOperator& costs = {});

}  // namespace pipegraph::test
