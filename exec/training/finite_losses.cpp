#include "exec/training/finite_losses.h"

#include <cmath>

#include "exec/state/failure.h"

namespace pipegraph {

void check_finite(const std::vector<LossValue>& losses, const std::string& what,
                  const std::string& reason) {
  for (const LossValue& value : losses) {
    if (std::isfinite(value.mean)) continue;
    const std::string text = fmt::format("the {} is {}: {}", what, value.mean, reason);
    throw ExecutionError(text, {.rank = 0, .device = {}, .instruction = {}, .what = text});
  }
}

}  // namespace pipegraph
