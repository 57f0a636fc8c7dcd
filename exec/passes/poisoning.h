// For finding mistakes: marks the bytes of every lifetime as soon as nothing may use them any more.
// With an arena of separate lifetimes a use after that shows as NaN in the loss or a gradient.
#pragma once

#include <functional>
#include <vector>

#include "exec/passes/device_passes.h"

namespace pipegraph {

/// Poison: each lifetime has bytes of its own, which are marked when it ends.
enum class MemoryUse : std::uint8_t { Tight, Poison };

constexpr ArenaKind arena_kind(MemoryUse use) {
  return use == MemoryUse::Tight ? ArenaKind::Shared : ArenaKind::Separate;
}

class Poisoning {
 public:
  /// Fills bytes with not-a-numbers, in the order of the device's computes.
  using Mark = std::function<void(Stretch)>;

  /// `passes` must outlive this. Marks the whole arena.
  Poisoning(const DevicePasses& passes, Mark mark);

  /// A step begins.
  void begin_step();
  /// A compute is about to run: what has ended before it, whatever the times, is marked, and so is
  /// all scratch.
  void before(InstructionId compute);

 private:
  void mark_lifetime(std::size_t lifetime);

  const DevicePasses& passes_;
  Mark mark_;
  std::vector<std::size_t> by_end_;
  std::size_t marked_ = 0;
};

}  // namespace pipegraph
