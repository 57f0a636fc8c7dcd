// Memory of a device over time: lifetimes of core/program/memory.h laid over a timeline, and the
// peak explained. At equal times allocation precedes release, unless the release had to come first.
#pragma once

#include <array>
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

struct MemoryPeak {
  Bytes bytes;                ///< reserved memory included
  Seconds time{0};            ///< when it is reached first
  InstructionId instruction;  ///< whose start made it; -1: what is there from the beginning
  std::array<Bytes, k_memory_parts> parts{};  ///< by MemoryPart, at that moment
  Bytes reserved;
};

struct MemoryCurve {
  /// Starts at time 0. Two steps at one time: the first before, the second after its releases.
  std::vector<MemoryStep> steps;
  MemoryPeak peak;
};

/// `lifetimes` of the device, from MemoryAnalysis::lifetimes.
MemoryCurve memory_curve(const DeviceMemory& memory, std::span<const Lifetime> lifetimes,
                         Bytes reserved, const Timeline& timeline);

/// At most about `most` steps that keep the highest and the last value of equal intervals of time.
std::vector<MemoryStep> thinned(const std::vector<MemoryStep>& steps, std::size_t most);

}  // namespace pipegraph
