// An accelerator: its memory, its peaks and where it sits.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/precision.h"
#include "core/base/units.h"

namespace pipegraph {

/// Efficiencies of 1.
constexpr std::array<double, k_precisions> all_of_the_peak() {
  std::array<double, k_precisions> efficiency{};
  efficiency.fill(1.0);
  return efficiency;
}

struct Device {
  std::string name;                                 ///< "node0/gpu1"; unique in a cluster
  Bytes memory{~std::uint64_t{0} >> 1};             ///< unlimited by default
  Bytes reserved;                                   ///< not available to the plan
  BytesPerSecond memory_bandwidth;                  ///< 0 = unknown
  std::array<FlopsPerSecond, k_precisions> peak{};  ///< by Precision; 0 = unknown
  std::array<double, k_precisions> efficiency = all_of_the_peak();  ///< e0, by Precision
  Seconds launch{0};                                                ///< per operator and pass
  int multiprocessors = 1;
  double slowdown = 1.0;  ///< multiplies explicit times
  bool overlap = true;    ///< false: communication blocks its compute lane
  int node = 0;           ///< machine it sits in
  int socket = 0;         ///< within the node

  bool unlimited_memory() const { return memory.count == ~std::uint64_t{0} >> 1; }
  bool operator==(const Device&) const = default;
};

}  // namespace pipegraph
