// Writes small programs in a few words, for tests. Devices are plain numbers, durations seconds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/program/program.h"

namespace pipegraph::test {

/// Own lanes for computes, each directed pair and each group; or one lane per device.
enum class SketchLanes : std::uint8_t { Separate, Single };

using Waits = std::vector<InstructionId>;

struct SketchedTransfer {
  InstructionId send;
  InstructionId recv;
};

struct Ends {
  int from = 0;
  int to = 0;
};

class ProgramSketch {
 public:
  explicit ProgramSketch(int devices, SketchLanes lanes = SketchLanes::Separate);

  InstructionId compute(int device, double seconds, const Waits& waits = {},
                        InstructionKind kind = InstructionKind::Forward);
  SketchedTransfer transfer(Ends ends, std::uint64_t bytes, const Waits& before_send = {},
                            const Waits& before_recv = {});
  /// Halves on their own, for programs whose halves are far apart or missing.
  InstructionId send(Ends ends, std::uint64_t bytes, const Waits& waits = {});
  InstructionId recv(Ends ends, std::uint64_t bytes, const Waits& waits = {});
  /// One member of each device; `waits` by member, possibly fewer.
  std::vector<InstructionId> all_reduce(const std::vector<int>& devices, std::uint64_t bytes,
                                        const std::vector<Waits>& waits = {});
  /// A single member's arrival in the group of `devices`.
  InstructionId arrive(const std::vector<int>& devices, int member, std::uint64_t bytes,
                       const Waits& waits = {});
  Program build() && { return std::move(builder_).build(); }

 private:
  LaneId lane(Lane wanted);

  ProgramBuilder builder_;
  SketchLanes lanes_;
};

}  // namespace pipegraph::test
