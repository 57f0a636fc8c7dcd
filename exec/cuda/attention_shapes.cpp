#include <fmt/format.h>

#include "core/base/errors.h"
#include "exec/cuda/cudnn_attention.h"

namespace pipegraph {

namespace {

constexpr std::int64_t k_column_multiple = 8;
constexpr std::int64_t k_most_columns = 128;

void check_shape(const Operator& op) {
  const AttentionShape shape = attention_shape(op.arithmetic, 1);
  if (shape.head_columns % k_column_multiple == 0 && shape.head_columns <= k_most_columns &&
      shape.tokens >= k_fewest_fused_tokens)
    return;
  throw ConfigError(
      op.position,
      fmt::format("'{}' has {}, which cuDNN's attention does not take", op.name, to_text(shape)),
      fmt::format("a multiple of {} columns a head, at most {}, and {} tokens or "
                  "more; or --attention own",
                  k_column_multiple, k_most_columns, k_fewest_fused_tokens));
}

}  // namespace

std::string to_text(const AttentionShape& shape) {
  return fmt::format("{} samples of {} tokens, {} heads of {} columns{}", shape.samples,
                     shape.tokens, shape.heads, shape.head_columns, shape.causal ? ", causal" : "");
}

AttentionShape attention_shape(const OperatorArithmetic& attention, std::int64_t samples) {
  return {samples, attention.rows, attention.heads, attention.columns / attention.heads,
          attention.causal};
}

void check_attention(GpuAttention attention, const ComputationGraph& graph, Precision precision) {
  if (attention == GpuAttention::Own) return;
  if (precision != Precision::Bf16)
    throw ConfigError(
        {.file = "--attention"},
        fmt::format("cuDNN's attention is for bf16, training.precision is {}", to_text(precision)),
        "--attention own, or training.precision: bf16");
  for (const Operator& op : graph.operators())
    if (op.arithmetic.kind == Arithmetic::Attention) check_shape(op);
}

}  // namespace pipegraph
