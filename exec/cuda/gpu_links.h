// Measures the links of this machine's GPUs, one at a time, with the copies that lanes use: a time
// lasts from handing a copy to a stream until the host sees its end, which is what a message takes.
#pragma once

#include "exec/measure/links.h"

namespace pipegraph {

/// All GPUs that CUDA_VISIBLE_DEVICES shows. Errors: those of choose_gpus; CudaError.
MachineLinks measure_gpu_links(const LinkOptions& options);

}  // namespace pipegraph
