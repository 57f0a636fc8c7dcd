// How far another host's clock is ahead of this one, from questions and answers: of all of them the
// one with the shortest round trip says most, since the answer was given somewhere in between
// (F. Cristian, Probabilistic clock synchronization, 1989). Between two estimates the offset is a
// straight line, for clocks drift.
#pragma once

#include <span>

#include "core/base/units.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// The other clock minus the own one.
struct OffsetEstimate {
  Seconds at{0};  ///< on the own clock
  Seconds offset{0};
  Seconds bound{0};  ///< half the round trip: the error is no larger, however uneven the ways are
};

/// From one or more echoes.
OffsetEstimate estimate_offset(std::span<const ClockEcho> echoes);

/// Between, and beyond, two moments at which the offset was estimated.
class ClockOffset {
 public:
  ClockOffset() = default;  ///< of a clock to itself
  ClockOffset(const OffsetEstimate& before, const OffsetEstimate& after)
      : before_(before), after_(after) {}

  Seconds at(Seconds own) const;
  /// Between the two moments, as long as the clocks' rates do not change by more than they differ:
  /// the larger of both bounds, and what the offset changed.
  Seconds bound() const;

 private:
  OffsetEstimate before_, after_;
};

}  // namespace pipegraph
