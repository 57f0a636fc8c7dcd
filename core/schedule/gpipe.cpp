#include <fmt/format.h>

#include "core/schedule/orders.h"

namespace pipegraph {

std::vector<StageSchedule> order_gpipe(const StageGraph& stages, const ScheduleOptions& options) {
  if (options.extra_in_flight != 0)
    throw ConfigError({.key = "extra_in_flight"},
                      "gpipe keeps the whole mini-batch in flight, there is no more",
                      "no extra_in_flight, or schedule: 1f1b");
  std::vector<StageSchedule> orders;
  orders.reserve(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    if (stage.in_flight)
      throw ConfigError(stage.position,
                        fmt::format("in_flight is {}, but gpipe keeps the whole mini-batch in "
                                    "flight",
                                    *stage.in_flight),
                        "no in_flight, or schedule: 1f1b");
    if (stage.k != 1)
      throw ConfigError(stage.position, fmt::format("k is {}, which gpipe has no use for", stage.k),
                        "no k, or schedule: kfkb");
    orders.push_back(alternate(stages, make_id<StageId>(s), {.in_flight_bound = options.mini_batch},
                               options.mini_batch));
  }
  return orders;
}

}  // namespace pipegraph
