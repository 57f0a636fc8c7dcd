// For finding mistakes: marks the bytes of every lifetime as soon as nothing may use them any more.
// With an arena of separate lifetimes a use after that shows as NaN in the loss or a gradient.
#pragma once

#include <vector>

#include "exec/cpu/host_memory.h"

namespace pipegraph {

class Poisoning {
 public:
  /// Both must outlive this. Marks the whole arena.
  Poisoning(const DevicePasses& passes, HostMemory& memory);

  /// A step begins.
  void begin_step();
  /// A compute is about to run: what has ended before it, whatever the times, is marked, and so is
  /// all scratch.
  void before(InstructionId compute);

 private:
  void mark(std::size_t lifetime);

  const DevicePasses& passes_;
  HostMemory& memory_;
  std::vector<std::size_t> by_end_;
  std::size_t marked_ = 0;
};

}  // namespace pipegraph
