#include "core/run/timeline.h"

#include <algorithm>

#include "core/run/lane_order.h"

namespace pipegraph {

Seconds Timeline::makespan() const {
  return end.empty() ? Seconds{0} : *std::ranges::max_element(end);
}

std::vector<Seconds> ready_times(const Program& program, const std::vector<Seconds>& end) {
  std::vector<Seconds> ready(program.size(), Seconds{0});
  LaneOrder lanes(program);
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto id = make_id<InstructionId>(i);
    if (const InstructionId before = lanes.append(id); before.valid())
      ready[i] = end[before.index()];
    for (InstructionId before : program.waits_on(id))
      ready[i] = std::max(ready[i], end[before.index()]);
  }
  return ready;
}

}  // namespace pipegraph
