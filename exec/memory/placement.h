// Places blocks one after the other in a given order, each into a gap between those already placed
// that are alive together with it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exec/memory/packing.h"

namespace pipegraph {

/// Number of a block.
using BlockIndex = std::uint32_t;
using BlockOrder = std::vector<BlockIndex>;

/// Which gap a block takes; above all others if it fits in none.
enum class Fit : std::uint8_t { Lowest, Tightest };

/// For each block those alive together with it, flat.
class Neighbours {
 public:
  explicit Neighbours(std::span<const TimedBlock> blocks);

  std::span<const BlockIndex> of(BlockIndex block) const {
    return std::span(others_).subspan(begin_[block], begin_[block + 1] - begin_[block]);
  }
  std::size_t size() const { return others_.size(); }

 private:
  std::vector<std::size_t> begin_;
  BlockOrder others_;
};

class Placer {
 public:
  /// Both must outlive this.
  Placer(std::span<const TimedBlock> blocks, const Neighbours& neighbours)
      : blocks_(blocks), neighbours_(neighbours) {}

  /// Highest end. offsets() and highest() tell more until the next call.
  std::uint64_t place(const BlockOrder& order, Fit fit);

  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  /// The block with the highest end.
  BlockIndex highest() const { return highest_; }

 private:
  std::uint64_t gap(std::uint64_t bytes, Fit fit);

  std::span<const TimedBlock> blocks_;
  const Neighbours& neighbours_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;
  BlockIndex highest_ = 0;
};

/// First fit in the order of time, remembering only what is alive: for many blocks.
std::vector<std::uint64_t> place_by_time(std::span<const TimedBlock> blocks);

}  // namespace pipegraph
