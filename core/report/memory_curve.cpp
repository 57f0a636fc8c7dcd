#include "core/report/memory_curve.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

/// Adds what a moment changed: the most held at it where that is neither before nor after it.
void add_moment(std::vector<MemoryStep>& steps, Seconds time, Bytes most, Bytes left) {
  if (most > left && most > steps.back().bytes) steps.push_back({time, most});
  if (left != steps.back().bytes) steps.push_back({time, left});
}

}  // namespace

MemoryCurve memory_curve(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                         Bytes reserved, const Timeline& timeline) {
  const InstructionTimes times{timeline.start, timeline.end};
  Bytes held = memory.parameters + memory.gradients + memory.optimizer_state + reserved;
  MemoryCurve curve;
  curve.reserved = reserved;
  curve.peak = timed_peak(memory, lifetimes, times);
  curve.steps.push_back({Seconds{0}, held});
  const std::vector<MemoryEvent> events = memory_events(lifetimes, times);
  Bytes most;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Bytes bytes = lifetimes[events[i].lifetime].bytes;
    events[i].releases ? held -= bytes : held += bytes;
    most = std::max(most, held);
    if (i + 1 < events.size() && events[i + 1].time == events[i].time) continue;
    add_moment(curve.steps, events[i].time, most, held);
    most = Bytes{};
  }
  return curve;
}

std::vector<MemoryStep> thinned(const std::vector<MemoryStep>& steps, std::size_t most) {
  if (steps.size() <= most || steps.empty()) return steps;
  const std::size_t buckets = std::max<std::size_t>(1, most / 2);
  const Seconds width = steps.back().time / static_cast<double>(buckets);
  if (!(width > Seconds{0})) return steps;
  std::vector<MemoryStep> kept;
  for (std::size_t first = 0; first < steps.size();) {
    const double bucket = std::floor(steps[first].time / width);
    std::size_t highest = first;
    std::size_t next = first;
    for (; next < steps.size() && std::floor(steps[next].time / width) == bucket; ++next)
      if (steps[next].bytes > steps[highest].bytes) highest = next;
    kept.push_back(steps[highest]);
    if (highest != next - 1) kept.push_back(steps[next - 1]);
    first = next;
  }
  return kept;
}

}  // namespace pipegraph
