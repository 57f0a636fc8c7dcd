// Memory that messages are made of.
#pragma once

#include <cstddef>

#include "core/base/units.h"

namespace pipegraph {

/// Contiguous memory of a device.
struct Piece {
  std::byte* data = nullptr;
  Bytes bytes;
};

}  // namespace pipegraph
