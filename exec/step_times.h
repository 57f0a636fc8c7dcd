// What knows after a traced step more exactly when instructions ran than the devices' clocks could
// tell while it ran.
#pragma once

#include "core/run/run_program.h"
#include "exec/clock.h"

namespace pipegraph {

/// Called on one device's thread, between steps of all of them.
class StepTimes {
 public:
  virtual ~StepTimes() = default;
  /// A traced step begins. Errors: MachineError.
  virtual void begin() = 0;
  /// The step that began at `epoch` has ended, and `record` has all times of this process's
  /// devices: replaces those that are known better. Errors: MachineError.
  virtual void end(SteadyTime epoch, RunRecord& record) = 0;
};

}  // namespace pipegraph
