#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/orders.h"

namespace pipegraph {
namespace {

/// k backwards in a row need as many forwards before them.
void check_bound(const Stage& stage, std::int64_t bound, const ScheduleOptions& options) {
  const std::int64_t size = std::min(stage.micro_batch, options.mini_batch);
  const std::int64_t batches = (options.mini_batch + size - 1) / size;
  if ((bound + size - 1) / size < std::min<std::int64_t>(stage.k, batches))
    throw ConfigError(
        stage.position,
        fmt::format("in_flight is {}, less than k = {} micro-batches of {}", bound, stage.k, size),
        fmt::format("at least {} samples", stage.k * size));
}

}  // namespace

std::vector<StageSchedule> order_k_forward_k_backward(const StageGraph& stages,
                                                      const ScheduleOptions& options) {
  const std::vector<std::int64_t> bounds = in_flight_samples(stages, options);
  std::vector<StageSchedule> orders;
  orders.reserve(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages.stages()[s];
    check_bound(stage, bounds[s], options);
    orders.push_back(alternate(stages, make_id<StageId>(s),
                               {.in_flight_bound = bounds[s], .k = stage.k}, options.mini_batch));
  }
  return orders;
}

}  // namespace pipegraph
