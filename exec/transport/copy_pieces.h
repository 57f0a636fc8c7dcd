// Copies one list of pieces to another that is cut differently.
#pragma once

#include <span>

#include "exec/transport/piece.h"

namespace pipegraph {

/// Both lists have the same number of bytes, or one of them is empty: then nothing is copied.
void copy_pieces(std::span<const Piece> from, std::span<const Piece> to);

/// Bytes of all pieces together.
Bytes total_bytes(std::span<const Piece> pieces);

}  // namespace pipegraph
