// What a stage costs on a device: time of its passes at a replica's share, parameters, and what it
// keeps per sample.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Time of one pass of `stage` on `samples` > 0 samples on `device`: the sum over its operators (in
/// id order), for a backward the forwards of recomputed operators included.
Seconds pass_time(const Workload& workload, const Stage& stage, Pass pass, std::int64_t samples,
                  DeviceId device);

/// Parameters the stage stores on each of its devices; tied ones once if owner and user share it.
Bytes parameters_of(const ComputationGraph& graph, const Stage& stage);

/// Time of the optimizer step of `parameters` on `device`: parameters, gradients and state, read
/// and written, over the memory bandwidth; 0 if that is unknown or the optimizer is none.
Seconds optimizer_time(const Training& training, Bytes parameters, const Device& device);

}  // namespace pipegraph
