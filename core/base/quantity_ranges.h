// What a quantity may be, for whoever reads one: beyond every machine, and far enough from what
// 64 bits and doubles hold that sums and products of quantities stay in range, too.
#pragma once

#include "core/base/units.h"

namespace pipegraph {

inline constexpr Seconds k_most_seconds{1e12};
inline constexpr Bytes k_most_bytes{std::uint64_t{1} << 62};
/// Zero does not count: rates divide. Infinity stands for "no limit".
inline constexpr BytesPerSecond k_least_bytes_per_second{1.0};
inline constexpr BytesPerSecond k_most_bytes_per_second{1e30};
inline constexpr Flops k_most_flops{1e30};
inline constexpr FlopsPerSecond k_least_flops_per_second{1.0};
inline constexpr FlopsPerSecond k_most_flops_per_second{1e30};

}  // namespace pipegraph
