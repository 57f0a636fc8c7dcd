// How long the steps of an executed plan took: the median with its quartiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  std::int32_t discarded = 0;  ///< steps besides, because the machine was disturbed
  std::int32_t disturbed =
      0;                    ///< steps among those that count during which it was, if anybody looked
  std::string disturbance;  ///< what was seen of it, for people; empty if nobody looked
  std::string no_verdict;   ///< why these times prove nothing; empty if they do
  /// How wrong times of the timeline may be, where ranks on several hosts read different clocks.
  std::optional<Seconds> clock_bound;
  /// Of traced times of instructions: "CUPTI activity", "events (REASON)"; empty: the host's
  /// stamps.
  std::string source;
};

}  // namespace pipegraph
