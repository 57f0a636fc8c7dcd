#include "exec/measure/watched_runner.h"

namespace pipegraph {

std::vector<LossValue> WatchedRunner::run(const StepOrder& order) {
  if (order.kind == StepKind::Evaluate) return steps_.run(order);
  if (std::exchange(first_, false)) return steps_.run(order);
  std::vector<LossValue> losses;
  watch_.run([&] {
    losses = steps_.run(order);
    return StepResult{};  // the loop takes the time itself
  });
  return losses;
}

}  // namespace pipegraph
