#include "core/report/window.h"

#include <algorithm>
#include <vector>

namespace pipegraph {

std::optional<Window> choose_window(const Timeline& timeline, std::size_t most) {
  if (timeline.size() <= most || most == 0) return std::nullopt;
  std::vector<InstructionId> ids(timeline.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = make_id<InstructionId>(i);
  const auto earlier = [&](InstructionId a, InstructionId b) {
    const Seconds first = timeline.start[a.index()];
    const Seconds second = timeline.start[b.index()];
    return first != second ? first < second : a < b;
  };
  const auto last = ids.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::ranges::nth_element(ids, last, earlier);
  return Window{timeline.start[last->index()], *last, most, timeline.size()};
}

}  // namespace pipegraph
