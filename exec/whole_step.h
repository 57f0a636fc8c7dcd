// What performs a step of all devices at once, in place of their threads: for devices whose work
// can be put in order beforehand.
#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace pipegraph {

/// How work is given to devices that perform it later: an instruction when the host has seen the
/// end of what it waits for, a whole step in the global sequence with streams that wait for each
/// other, or that once and for all, as a graph that is launched step by step.
enum class StepIssue : std::uint8_t { Instructions, Steps, Graph };

/// Used by the executor's caller, between the engines' beginning of a step and its end.
class WholeStep {
 public:
  virtual ~WholeStep() = default;
  /// Whether the step that begins now is performed by run(); else devices perform it.
  virtual bool takes() = 0;
  /// Returns when the step has ended everywhere. Errors: MachineError if something fails, or if it
  /// has not ended after `deadline`.
  virtual void run(Seconds deadline) = 0;
};

}  // namespace pipegraph
