#include <fmt/format.h>

#include "core/schedule/orders.h"

namespace pipegraph {

std::vector<StageSchedule> order_one_forward_one_backward(const StageGraph& stages,
                                                          const ScheduleOptions& options) {
  for (const Stage& stage : stages.stages())
    if (stage.k != 1)
      throw ConfigError(stage.position, fmt::format("k is {}, but 1f1b means k = 1", stage.k),
                        "no k, or schedule: kfkb");
  return order_k_forward_k_backward(stages, options);
}

}  // namespace pipegraph
