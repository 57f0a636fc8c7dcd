// Told by a device's thread what it is about to enqueue, so that what the GPU does can be
// attributed to instructions.
#pragma once

#include "core/base/ids.h"
#include "core/base/units.h"

namespace pipegraph {

/// Errors of all: MachineError.
class WorkMarks {
 public:
  virtual ~WorkMarks() = default;
  /// What the calling thread enqueues until end() belongs to `id`; `now`: since the step's start.
  virtual void begin(InstructionId id, Seconds now) = 0;
  virtual void end() = 0;
};

}  // namespace pipegraph
