#include "core/planners/passes.h"

#include <fmt/format.h>

#include <cmath>

#include "core/planners/evaluate.h"

namespace pipegraph {

double count_passes(const std::vector<Stage>& stages, std::int32_t mini_batch) {
  double passes = 0;
  for (const Stage& stage : stages)
    passes += least_passes(stage.micro_batch, mini_batch) * stage.replicas();
  return passes;
}

double least_passes(std::int32_t micro_batch, std::int32_t mini_batch) {
  return 2 * std::ceil(double{1} * mini_batch / micro_batch);
}

std::optional<std::string> too_many_passes(double passes) {
  if (passes <= k_most_passes) return std::nullopt;
  return fmt::format(
      "{:.0f} forwards and backwards are more than {:.0f}, which take 3.5 GiB of memory; larger "
      "micro-batches need fewer",
      passes, double{k_most_passes});
}

}  // namespace pipegraph
