// What a stage costs on a device: time of its passes at a replica's share, and of the optimizer.
#pragma once

#include <cstdint>

#include "core/stage/parameters.h"
#include "core/stage/stage_graph.h"
#include "core/stage/workload.h"

namespace pipegraph {

/// Time of one pass of `stage` on `samples` > 0 samples on `device`: the sum over its operators (in
/// id order). A backward, and of a split one the input's part, begins with the forwards of the
/// recomputed operators.
Seconds pass_time(const Workload& workload, const Stage& stage, Pass pass, std::int64_t samples,
                  DeviceId device);

/// Time of the optimizer step of `parameters` on `device`: its optimizer_traffic over the memory
/// bandwidth; 0 if that is unknown or the optimizer is none.
Seconds optimizer_time(const Training& training, Bytes parameters, const Device& device);

}  // namespace pipegraph
