// What this process has computed so far, whatever else the machine did meanwhile.
#pragma once

#include "core/base/units.h"

namespace pipegraph {

/// Processor time of all threads of this process and of those of its children that have ended and
/// were waited for. Grows by the work done, not by the load of the machine.
Seconds processor_time();

}  // namespace pipegraph
