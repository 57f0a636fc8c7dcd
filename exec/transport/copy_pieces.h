// Copies one list of pieces to another that is cut differently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "exec/transport/piece.h"

namespace pipegraph {

/// Both lists have the same number of bytes, or one of them is empty: then nothing is copied.
void copy_pieces(std::span<const Piece> from, std::span<const Piece> to);

/// Bytes of all pieces together.
Bytes total_bytes(std::span<const Piece> pieces);

/// `act(to, from, count)` for each stretch of bytes that lies in one piece on both sides; both
/// lists have as many bytes.
template <class Act>
void for_each_stretch(std::span<const Piece> from, std::span<const Piece> to, const Act& act) {
  std::size_t source = 0;
  std::uint64_t read = 0;  // of the present source
  for (const Piece& target : to) {
    std::uint64_t written = 0;
    while (written < target.bytes.count) {
      const Piece& piece = from[source];
      const std::uint64_t some = std::min(piece.bytes.count - read, target.bytes.count - written);
      if (some > 0) act(target.data + written, piece.data + read, some);
      written += some;
      read += some;
      if (read < piece.bytes.count) continue;
      ++source;
      read = 0;
    }
  }
}

}  // namespace pipegraph
