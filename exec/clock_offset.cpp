#include "exec/clock_offset.h"

#include <algorithm>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

Seconds round_trip(const ClockEcho& echo) { return echo.received - echo.asked; }

}  // namespace

OffsetEstimate estimate_offset(std::span<const ClockEcho> echoes) {
  check(!echoes.empty(), "an offset is estimated from something");
  const ClockEcho& best = *std::ranges::min_element(echoes, {}, round_trip);
  const Seconds middle = best.asked + round_trip(best) / 2.0;
  return {.at = middle, .offset = best.answered - middle, .bound = round_trip(best) / 2.0};
}

Seconds ClockOffset::at(Seconds own) const {
  const Seconds between = after_.at - before_.at;
  if (between <= Seconds{0}) return before_.offset;
  return before_.offset + (after_.offset - before_.offset) * ((own - before_.at) / between);
}

Seconds ClockOffset::bound() const {
  const Seconds change = after_.offset - before_.offset;
  return std::max(before_.bound, after_.bound) + (change < Seconds{0} ? -change : change);
}

}  // namespace pipegraph
