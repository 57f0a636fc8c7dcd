#include "exec/transport/slice_pieces.h"

#include <algorithm>

namespace pipegraph {

std::vector<Piece> slice_pieces(std::span<const Piece> pieces, ByteRange range) {
  std::vector<Piece> slice;
  std::uint64_t begin = 0;
  for (const Piece& piece : pieces) {
    const std::uint64_t end = begin + piece.bytes.count;
    const std::uint64_t first = std::max(begin, range.first);
    const std::uint64_t last = std::min(end, range.last);
    if (first < last) slice.push_back({piece.data + (first - begin), Bytes{last - first}});
    begin = end;
  }
  return slice;
}

}  // namespace pipegraph
