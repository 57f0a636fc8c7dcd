#include "exec/transport/copy_pieces.h"

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
  for_each_stretch(from, to, [](std::byte* into, const std::byte* out_of, std::uint64_t count) {
    std::memcpy(into, out_of, count);
  });
}

}  // namespace pipegraph
