// Messages between GPUs by NCCL. Another transport tells both ends that the other is ready, and
// what it has to send; only then is the data sent, so that nothing that is under way on a GPU waits
// for what a host has not done yet. Devices on one GPU stay with the other transport.
#pragma once

#include <memory>
#include <string>

#include "exec/cuda/cuda_lanes.h"
#include "exec/cuda/gpu_options.h"
#include "exec/transport/transport_context.h"

namespace pipegraph {

/// All ranks make theirs together; `lanes` tells it of the devices of this one, and outlives it.
/// Errors: MachineError if NCCL is too old or would refuse the devices.
std::unique_ptr<Transport> make_nccl_transport(const TransportContext& context, CudaLanes& lanes,
                                               const NcclSettings& settings);

/// "NCCL 2.28.9, at most 4 thread blocks for each communicator", and which settings of the
/// environment go before ours.
std::string nccl_text();

}  // namespace pipegraph
