// Devices of plans on the stand-in, for tests that need what only it offers.
#pragma once

#include "tests/exec/cuda/gpu_devices.h"
#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/cuda_stand_in/sanitizer.h"

namespace pipegraph::test {

inline constexpr Bytes k_small_workspace = k_test_workspace;
using StandInDevices = GpuDevices;

/// Options of a run on the stand-in.
inline TrainingRunOptions on_stand_in(const StandInDevices::Settings& settings = {}) {
  return on_gpus(settings);
}

}  // namespace pipegraph::test
