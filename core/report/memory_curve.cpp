#include "core/report/memory_curve.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

/// A step that changes nothing is left out; one at the time of the last, of the same kind of event,
/// replaces it.
void add_step(std::vector<MemoryStep>& steps, const MemoryStep& step) {
  if (steps.back().bytes != step.bytes) steps.push_back(step);
}

}  // namespace

MemoryCurve memory_curve(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                         Bytes reserved, const Timeline& timeline) {
  const InstructionTimes times{timeline.start, timeline.end};
  const std::vector<MemoryEvent> events = memory_events(lifetimes, times);
  Bytes in_use = memory.parameters + memory.gradients + memory.optimizer_state + reserved;
  MemoryCurve curve;
  curve.steps.push_back({Seconds{0}, in_use});
  for (std::size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent& event = events[i];
    const Bytes bytes = lifetimes[event.lifetime].bytes;
    event.releases ? in_use -= bytes : in_use += bytes;
    const bool group_ends = i + 1 == events.size() || events[i + 1].time != event.time ||
                            events[i + 1].releases != event.releases;
    if (group_ends) add_step(curve.steps, {event.time, in_use});
  }
  const TimedPeak peak = timed_peak(memory, lifetimes, times);
  curve.peak = {peak.bytes + reserved, peak.time, peak.instruction, peak.parts, reserved};
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
