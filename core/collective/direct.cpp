#include "core/collective/algorithms.h"

namespace pipegraph {

StepList direct_steps(double bytes, const CollectiveMembers& members) {
  StepList list;
  const auto size = static_cast<std::int32_t>(members.size());
  if (size < 2) return list;
  list.chunks = size;
  const double chunk = bytes / size;
  std::vector<std::vector<std::int32_t>> received(members.size());
  for (std::int32_t distance = 1; distance < size; ++distance) {
    for (std::int32_t from = 0; from < size; ++from) {
      const std::int32_t to = (from + distance) % size;
      received[static_cast<std::size_t>(to)].push_back(
          static_cast<std::int32_t>(list.steps.size()));
      list.steps.push_back({from, to, chunk, 0.0, {to, to + 1}, StepEffect::Add, {}});
    }
  }
  for (std::int32_t distance = 1; distance < size; ++distance) {
    for (std::int32_t from = 0; from < size; ++from) {
      const std::int32_t to = (from + distance) % size;
      list.steps.push_back({from,
                            to,
                            chunk,
                            0.0,
                            {from, from + 1},
                            StepEffect::Replace,
                            received[static_cast<std::size_t>(from)]});
    }
  }
  return list;
}

}  // namespace pipegraph
