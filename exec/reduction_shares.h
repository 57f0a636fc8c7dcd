// How the members of an all-reduce share out a vector: each adds up one part of it, segment after
// segment, and needs memory for what it gathers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/units.h"
#include "core/program/program.h"
#include "exec/engine.h"
#include "exec/transport/copy_pieces.h"
#include "exec/transport/slice_pieces.h"

namespace pipegraph {

inline constexpr std::uint64_t k_reduced_float_bytes = 4;
inline constexpr std::uint64_t k_reduced_segment_bytes = 4 << 20;

/// The part of [first, last) that falls to member `m` of `count`.
inline ByteRange share_of(ByteRange all, std::size_t m, std::size_t count) {
  const std::uint64_t floats = (all.last - all.first) / k_reduced_float_bytes;
  const auto at = [&](std::size_t i) {
    return all.first + floats * i / count * k_reduced_float_bytes;
  };
  return {at(m), at(m + 1)};
}

/// The segment of a vector of `bytes` that begins at `first`.
inline ByteRange segment_at(std::uint64_t first, std::uint64_t bytes) {
  return {first, std::min(bytes, first + k_reduced_segment_bytes)};
}

/// What the largest segment needs: two sums and a copy of each addend of others.
inline Bytes gathered_bytes(const GradientSum& sum, std::size_t members) {
  const ByteRange own =
      share_of(segment_at(0, total_bytes(sum.sum).count), members - 1, members);  // the largest
  return Bytes{(own.last - own.first) * (sum.addends.size() + 2)};
}

/// Whether each member of the group has an addend.
inline bool every_member_adds(const Group& group, const GradientSum& sum) {
  return std::ranges::all_of(group.devices, [&](DeviceId member) {
    return std::ranges::any_of(sum.addends,
                               [&](const Addend& addend) { return addend.device == member; });
  });
}

}  // namespace pipegraph
