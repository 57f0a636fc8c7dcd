// Memory of a device over time: lifetimes of core/program/memory.h laid over a timeline, reserved
// memory included, and the peak explained.
#pragma once

#include <span>
#include <vector>

#include "core/program/memory.h"
#include "core/run/timeline.h"

namespace pipegraph {

/// From `time` on (until the next step) `bytes` are in use.
struct MemoryStep {
  Seconds time{0};
  Bytes bytes;
  bool operator==(const MemoryStep&) const = default;
};

struct MemoryCurve {
  /// Starts at time 0. Two steps at one time: the most held at that moment, and what is left.
  std::vector<MemoryStep> steps;
  TimedPeak peak;  ///< without the reserved bytes
  Bytes reserved;

  Bytes peak_bytes() const { return peak.bytes + reserved; }
};

MemoryCurve memory_curve(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                         Bytes reserved, const Timeline& timeline);

/// At most about `most` steps that keep the highest and the last value of equal intervals of time.
std::vector<MemoryStep> thinned(const std::vector<MemoryStep>& steps, std::size_t most);

}  // namespace pipegraph
