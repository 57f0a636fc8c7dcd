// Numbers of 16 bits: the upper half of a float (8 bits of exponent, 7 of mantissa). They are only
// stored; whatever is computed with them is computed in float, and rounded once to the nearest,
// ties to even, so that a stored number is within 2^-9 of what was computed, relative to it.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/kernels/host_device.h"

namespace pipegraph::kernels {

class BFloat16 {
 public:
  BFloat16() = default;
  PIPEGRAPH_HOST_DEVICE BFloat16(float value) : bits_(rounded(value)) {}

  PIPEGRAPH_HOST_DEVICE operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }
  PIPEGRAPH_HOST_DEVICE BFloat16& operator+=(float other) { return *this = float(*this) + other; }
  PIPEGRAPH_HOST_DEVICE BFloat16& operator-=(float other) { return *this = float(*this) - other; }
  PIPEGRAPH_HOST_DEVICE BFloat16& operator*=(float other) { return *this = float(*this) * other; }

 private:
  PIPEGRAPH_HOST_DEVICE static std::uint16_t rounded(float value) {
    constexpr std::uint32_t k_half = 0x7fff;
    constexpr std::uint32_t k_quiet = 0x40;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (value != value) return static_cast<std::uint16_t>(bits >> 16 | k_quiet);
    return static_cast<std::uint16_t>((bits + k_half + (bits >> 16 & 1U)) >> 16);
  }

  std::uint16_t bits_;
};
static_assert(sizeof(BFloat16) == 2);

/// What numbers that are stored as T are computed, added up and kept in between as.
template <class T>
struct WideOf {
  using Type = T;
};
template <>
struct WideOf<BFloat16> {
  using Type = float;
};
template <class T>
using Wide = typename WideOf<T>::Type;

template <class T>
PIPEGRAPH_HOST_DEVICE Wide<T> wide(T value) {
  return static_cast<Wide<T>>(value);
}

}  // namespace pipegraph::kernels
