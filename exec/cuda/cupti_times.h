// Times of instructions from the activity records of CUPTI.
#pragma once

#include <memory>

#include "exec/cuda/gpu_times.h"

namespace pipegraph {

/// `program` outlives it. Errors: MachineError, one line, if CUPTI was not there when this was
/// built, is not on this machine, or refuses.
std::unique_ptr<GpuTimes> make_cupti_times(const Program& program);

}  // namespace pipegraph
