#include "core/report/memory_curve.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pipegraph {
namespace {

struct Event {
  Seconds time{0};
  bool release = false;
  InstructionId instruction;
  std::uint32_t lifetime = 0;
};

bool before(const Event& a, const Event& b) {
  return std::tie(a.time, a.release, a.instruction, a.lifetime) <
         std::tie(b.time, b.release, b.instruction, b.lifetime);
}

std::vector<Event> events_of(const DeviceMemory& memory, const Timeline& timeline) {
  std::vector<Event> events;
  events.reserve(2 * memory.lifetimes.size());
  for (std::size_t i = 0; i < memory.lifetimes.size(); ++i) {
    const Lifetime& lifetime = memory.lifetimes[i];
    const auto number = static_cast<std::uint32_t>(i);
    events.push_back({timeline.start[lifetime.first.index()], false, lifetime.first, number});
    events.push_back({timeline.end[lifetime.last.index()], true, lifetime.last, number});
  }
  std::ranges::sort(events, before);
  return events;
}

std::array<Bytes, k_memory_parts> permanent_parts(const DeviceMemory& memory) {
  std::array<Bytes, k_memory_parts> parts{};
  parts[static_cast<std::size_t>(MemoryPart::Parameters)] = memory.parameters;
  parts[static_cast<std::size_t>(MemoryPart::Gradients)] = memory.gradients;
  parts[static_cast<std::size_t>(MemoryPart::OptimizerState)] = memory.optimizer_state;
  return parts;
}

/// What is in use right after `count` events.
std::array<Bytes, k_memory_parts> parts_after(const DeviceMemory& memory,
                                              const std::vector<Event>& events, std::size_t count) {
  std::array<Bytes, k_memory_parts> parts = permanent_parts(memory);
  for (std::size_t i = 0; i < count; ++i) {
    const Lifetime& lifetime = memory.lifetimes[events[i].lifetime];
    Bytes& part = parts[static_cast<std::size_t>(lifetime.part)];
    events[i].release ? part -= lifetime.bytes : part += lifetime.bytes;
  }
  return parts;
}

/// A step that changes nothing is left out; one at the time of the last, of the same kind of event,
/// replaces it.
void add_step(std::vector<MemoryStep>& steps, const MemoryStep& step) {
  if (steps.back().bytes != step.bytes) steps.push_back(step);
}

}  // namespace

MemoryCurve memory_curve(const DeviceMemory& memory, Bytes reserved, const Timeline& timeline) {
  const std::vector<Event> events = events_of(memory, timeline);
  Bytes in_use = memory.parameters + memory.gradients + memory.optimizer_state + reserved;
  MemoryCurve curve;
  curve.steps.push_back({Seconds{0}, in_use});
  curve.peak.bytes = in_use;
  std::size_t at_peak = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const Bytes bytes = memory.lifetimes[event.lifetime].bytes;
    event.release ? in_use -= bytes : in_use += bytes;
    const bool group_ends = i + 1 == events.size() || events[i + 1].time != event.time ||
                            events[i + 1].release != event.release;
    if (group_ends) add_step(curve.steps, {event.time, in_use});
    if (in_use <= curve.peak.bytes) continue;
    curve.peak = {.bytes = in_use, .time = event.time, .instruction = event.instruction};
    at_peak = i + 1;
  }
  curve.peak.parts = parts_after(memory, events, at_peak);
  curve.peak.reserved = reserved;
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
