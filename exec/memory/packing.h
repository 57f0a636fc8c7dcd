// Places blocks that live for a while in one piece of memory, so that blocks alive together do not
// overlap: dynamic storage allocation with everything known beforehand. Optimal packing is hard;
// several orders of first fit are tried and the smallest result is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "core/program/moment.h"

namespace pipegraph {

/// Alive during the moments [first, last].
struct TimedBlock {
  Moment first = 0;
  Moment last = 0;
  Bytes bytes;
};

constexpr bool alive_together(const TimedBlock& a, const TimedBlock& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Packing {
  std::vector<Bytes> offsets;  ///< by block
  Bytes bytes;                 ///< end of the highest block
  Bytes peak;                  ///< most bytes alive at one moment: no packing needs less
};

/// Most bytes alive at one moment.
Bytes peak_of(std::span<const TimedBlock> blocks);

/// Quick: a few orders only, for what is packed often and need not be tight.
enum class PackingEffort : std::uint8_t { Thorough, Quick };

/// Deterministic. Work is bounded: large sets of blocks are tried in fewer orders.
Packing pack(std::span<const TimedBlock> blocks, PackingEffort effort = PackingEffort::Thorough);

}  // namespace pipegraph
