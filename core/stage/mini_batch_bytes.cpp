#include "core/stage/mini_batch_bytes.h"

#include <fmt/format.h>

#include <cmath>

namespace pipegraph {

void check_mini_batch_bytes(const ComputationGraph& graph, const Training& training,
                            const SourcePosition& mini_batch) {
  double per_sample = 0.0;
  for (const Operator& op : graph.operators()) {
    per_sample += op.output.as_double() + op.internal.as_double();
    // Received or kept for the backward, and its gradient on the way back.
    for (const OperatorId input : op.inputs) per_sample += 2.0 * graph.at(input).output.as_double();
    if (op.saved) per_sample += op.saved->as_double();
  }
  const double most = k_most_mini_batch_bytes.as_double();
  if (per_sample * training.mini_batch <= most) return;
  throw ConfigError(
      mini_batch,
      fmt::format("{} samples of this model are more than {} of tensors", training.mini_batch,
                  to_text(k_most_mini_batch_bytes)),
      fmt::format("at most {:.0f} samples, or a smaller model", std::floor(most / per_sample)));
}

}  // namespace pipegraph
