// One clock for all ranks of a job, that of rank 0. On one host they read the same one; on several
// hosts each learns how far rank 0's is ahead of its own, before and after a step.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "exec/clock_offset.h"
#include "exec/options.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// Names the clock that steady_clock reads: equal for processes that read the same one. Empty if
/// the system does not tell.
std::string clock_identity();

class CommonClock {
 public:
  /// All ranks make theirs together; `ranks` must outlive it. `now` reads the own clock.
  CommonClock(Ranks& ranks, RankClocks clocks, ClockReader now);

  /// The moment at which the next step starts everywhere, on the own clock; returns when it has
  /// come. All ranks call it together.
  Seconds start();
  /// After that step, all ranks together; where clocks differ, offsets are estimated again.
  void stop();
  /// What is to be added to `own`, a time since the last start, for one on rank 0's clock.
  Seconds correction(Seconds own) const;
  /// How wrong corrected times may be; nothing where all ranks read one clock.
  std::optional<Seconds> bound() const;

 private:
  OffsetEstimate estimate();

  Ranks& ranks_;
  ClockReader now_;
  bool differ_ = false;
  OffsetEstimate before_;
  ClockOffset offset_;
  Seconds start_{0};
};

}  // namespace pipegraph
