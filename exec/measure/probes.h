// What the executor itself costs on this machine: handling an instruction, and bringing a message
// from one device to another of this process. Measured with the executor's own loop.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/cost_file.h"
#include "exec/measure/step_watch.h"
#include "exec/options.h"

namespace pipegraph {

struct ProbeOptions {
  std::int32_t repetitions = 9;  ///< undisturbed ones if possible, after one that does not count
  ExecutionOptions execution;
  SchedulingReader scheduling = [] { return scheduling_totals(); };
};

/// Time of a compute that has nothing to do, from being ready to releasing the next one.
Measured measure_dispatch(const ProbeOptions& options);

/// Time of a message from device to device, its handling at both ends included, by going to and
/// fro. Where there is a single core the devices take turns on it, which is what it then costs.
std::vector<MeasuredTransfer> measure_transfers(const std::vector<Bytes>& sizes,
                                                const ProbeOptions& options);

/// 64 B to 16 MiB, fourfold each.
std::vector<Bytes> usual_transfer_sizes();

}  // namespace pipegraph
