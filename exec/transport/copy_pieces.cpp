#include "exec/transport/copy_pieces.h"

#include <algorithm>
#include <cstring>

#include "core/base/errors.h"

namespace pipegraph {

Bytes total_bytes(std::span<const Piece> pieces) {
  Bytes sum;
  for (const Piece& piece : pieces) sum += piece.bytes;
  return sum;
}

void copy_pieces(std::span<const Piece> from, std::span<const Piece> to) {
  if (from.empty() || to.empty()) return;
  check(total_bytes(from) == total_bytes(to), "both ends of a message have as many bytes");
  std::size_t source = 0;
  std::uint64_t read = 0;  // of the present source
  for (const Piece& target : to) {
    std::uint64_t written = 0;
    while (written < target.bytes.count) {
      const Piece& piece = from[source];
      const std::uint64_t some = std::min(piece.bytes.count - read, target.bytes.count - written);
      if (some > 0) std::memcpy(target.data + written, piece.data + read, some);
      written += some;
      read += some;
      if (read < piece.bytes.count) continue;
      ++source;
      read = 0;
    }
  }
}

}  // namespace pipegraph
