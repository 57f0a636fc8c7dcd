// Attention as cuDNN knows it: the operations that make up its forward and its backward, in the
// patterns that cuDNN replaces by one kernel (Dao, FlashAttention-2, arXiv 2307.08691).
#pragma once

#include "exec/cuda/cudnn_attention.h"
#include "exec/cuda/cudnn_graph.h"

namespace pipegraph {

/// Numbers of the tensors in memory; scalars come behind them.
enum class ForwardTensor : std::int64_t {
  Queries = 1,
  Keys,
  Values,
  Result,
  Statistics,
  Scale,
  Never
};
/// Never: what masked scores are, a large negative number.
enum class BackwardTensor : std::int64_t {
  Queries = 1,
  Keys,
  Values,
  Result,
  Statistics,
  ResultGradient,
  QueriesGradient,
  KeysGradient,
  ValuesGradient,
  Sums,
  WideQueriesGradient,  ///< zeros before
  Scale,
  One,
  Never,
};

CudnnGraph forward_attention_graph(const AttentionShape& shape);
CudnnGraph backward_attention_graph(const AttentionShape& shape);

}  // namespace pipegraph
