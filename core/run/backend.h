// The only seam between the scheduler core and what performs instructions.
#pragma once

#include <span>

#include "core/base/ids.h"
#include "core/base/units.h"

namespace pipegraph {

struct Completion {
  InstructionId instruction;
  Seconds start{0};
  Seconds end{0};
};

/// Performs instructions and reports when they complete; decides nothing.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Performs `instruction`, which is ready: a compute starts, a half of a transfer or collective
  /// is posted. Calls come in program order among those that became ready together.
  virtual void start(InstructionId instruction) = 0;

  /// Waits until something completes; all that completed at that moment, valid until the next call.
  /// Both halves of a transfer, and all members of an all-reduce, are reported as far as they
  /// belong to the devices this backend performs for. Empty: nothing is in progress, and nothing
  /// will complete unless something is started.
  virtual std::span<const Completion> wait() = 0;
};

}  // namespace pipegraph
