// Where something lies in the memory of a device: an area and an offset. What passes do is worked
// out with places, before any memory exists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/units.h"

namespace pipegraph {

enum class Area : std::uint8_t {
  None,
  Parameters,
  Gradients,
  State,         ///< of the optimizer: one copy of the parameters after the other
  Arena,         ///< activations, receive slots, send buffers, workspaces
  Scratch,       ///< within one pass
  Held,          ///< gradients between the two parts of a split backward
  Accumulators,  ///< gradients of second and further uses of parameters
  Losses,        ///< one number per loss and sample of the mini-batch
  Rounded,       ///< the parameters once more, as products read them, where data has 2 bytes
  Chunk,         ///< scratch that has not been laid out yet
};
inline constexpr std::size_t k_areas = 10;  ///< without Chunk

using AreaSizes = std::array<Bytes, k_areas>;

class Place {
 public:
  constexpr Place() = default;
  constexpr Place(Area area, Bytes offset)
      : bits_(static_cast<std::uint64_t>(area) << k_offset_bits | offset.count) {}

  constexpr Area area() const { return static_cast<Area>(bits_ >> k_offset_bits); }
  constexpr Bytes offset() const {
    return Bytes{bits_ & ((std::uint64_t{1} << k_offset_bits) - 1)};
  }
  constexpr bool valid() const { return area() != Area::None; }
  constexpr bool operator==(const Place&) const = default;

 private:
  static constexpr int k_offset_bits = 56;
  std::uint64_t bits_ = 0;
};

constexpr Place operator+(Place place, Bytes bytes) {
  return {place.area(), place.offset() + bytes};
}

/// Where each area begins, in the device's own memory.
using AreaBases = std::array<std::byte*, k_areas>;

/// Null for an invalid place.
inline std::byte* address(const AreaBases& bases, Place place) {
  if (!place.valid()) return nullptr;
  return bases[static_cast<std::size_t>(place.area())] + place.offset().count;
}

/// Contiguous bytes.
struct Stretch {
  Place begin;
  Bytes bytes;
  bool operator==(const Stretch&) const = default;
};

}  // namespace pipegraph
