// A range of bytes out of a list of pieces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/transport/piece.h"

namespace pipegraph {

/// Bytes [first, last) of a vector.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The pieces that lie in `range` of the pieces taken together; none of them is empty.
std::vector<Piece> slice_pieces(std::span<const Piece> pieces, ByteRange range);

}  // namespace pipegraph
