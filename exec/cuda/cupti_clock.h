// Brings times of CUPTI's clock to the host's: both are read one after the other, several times,
// and the closest pair counts.
#pragma once

#include <cstdint>

#include "exec/clock.h"

namespace pipegraph {

struct CuptiClockReading {
  SteadyTime host;
  std::uint64_t cupti_ns = 0;
  Seconds bound{0};  ///< how far apart the two may have been read

  /// The moment of CUPTI's clock on the host's.
  SteadyTime host_time(std::uint64_t ns) const {
    return host + std::chrono::nanoseconds(static_cast<std::int64_t>(ns - cupti_ns));
  }
};

/// Errors: CuptiError.
CuptiClockReading read_cupti_clock();

}  // namespace pipegraph
