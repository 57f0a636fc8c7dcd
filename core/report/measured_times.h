// How long the steps of an executed plan took: the median with its quartiles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/units.h"

namespace pipegraph {

/// Between the nearest ranks, linearly.
struct Quartiles {
  Seconds lower{0}, median{0}, upper{0};
};

/// Of at least one time.
Quartiles quartiles(std::vector<Seconds> times);

/// `untraced` is the figure that counts; tracing takes time of its own.
struct MeasuredTimes {
  std::int32_t steps = 0;  ///< of each kind, without the warm-up
  Quartiles untraced;
  std::optional<Quartiles> traced;
};

}  // namespace pipegraph
