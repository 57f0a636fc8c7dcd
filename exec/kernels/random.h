// Random numbers by counting: a number is a function of a stream and an index alone, so it is the
// same whoever asks, in whatever order. A stream belongs to a seed and a name.
//
// The function is the output step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014, with the
// constants of Stafford's variant 13) applied to the stream's start plus index times an odd
// constant.
#pragma once

#include <cstdint>
#include <string_view>

#include "exec/kernels/host_device.h"
#include "exec/kernels/view.h"

namespace pipegraph::kernels {

PIPEGRAPH_HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

struct RandomStream {
  std::uint64_t start = 0;

  PIPEGRAPH_HOST_DEVICE std::uint64_t bits(std::uint64_t index) const {
    return mix_bits(start + (index + 1) * 0x9e3779b97f4a7c15ULL);
  }
  /// In [-1, 1): a multiple of 2^-23.
  PIPEGRAPH_HOST_DEVICE float symmetric(std::uint64_t index) const {
    const auto high = static_cast<std::int32_t>(bits(index) >> 40);  // 24 bits
    return static_cast<float>(high - (1 << 23)) * (1.0F / (1 << 23));
  }
  /// In [0, limit); limit is positive.
  PIPEGRAPH_HOST_DEVICE std::int32_t below(std::int32_t limit, std::uint64_t index) const {
    const std::uint64_t high = bits(index) >> 32;
    return static_cast<std::int32_t>((high * static_cast<std::uint64_t>(limit)) >> 32);
  }
};

/// Streams of different names or seeds are unrelated. The name enters by its FNV-1a hash.
constexpr RandomStream random_stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return {mix_bits(hash ^ (seed * 0xd1342543de82ef95ULL))};
}

/// into[i] = bound times a number in [-1, 1), by index from `first` on.
template <class T>
struct FillSymmetric {
  RandomStream stream;
  std::uint64_t first;
  float bound;
  View<T> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    into[i] = static_cast<T>(bound * stream.symmetric(first + static_cast<std::uint64_t>(i)));
  }
};

/// into[i] = a whole number in [0, limit), by index from `first` on.
struct FillBelow {
  RandomStream stream;
  std::uint64_t first;
  std::int32_t limit;
  View<std::int32_t> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const {
    into[i] = stream.below(limit, first + static_cast<std::uint64_t>(i));
  }
};

template <class T>
struct FillConstant {
  T value;
  View<T> into;
  PIPEGRAPH_HOST_DEVICE void operator()(std::int64_t i) const { into[i] = value; }
};

}  // namespace pipegraph::kernels
