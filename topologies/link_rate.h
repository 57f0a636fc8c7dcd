// What a cable is given as, and what is wrong with a given option.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace pipegraph {

/// One direction of a cable.
struct LinkRate {
  BytesPerSecond bandwidth;
  Seconds latency{0};
  bool operator==(const LinkRate&) const = default;
};

/// Why options make no cluster: the key at fault ("" = the whole map), and the two halves of a
/// ConfigError's sentence.
struct OptionProblem {
  std::string key;
  std::string problem;
  std::string expected;
};

/// Most devices and links a cluster may have, so that a slip of the pen does not fill the memory.
inline constexpr std::int64_t k_most_devices = std::int64_t{1} << 20;
inline constexpr std::int64_t k_most_links = std::int64_t{1} << 23;

}  // namespace pipegraph
