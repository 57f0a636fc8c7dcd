// Engines that do nothing on GPUs: what the executor's handling of computes and messages costs
// there, with the lanes that plans use.
#pragma once

#include "exec/cuda/cuda_lanes.h"
#include "exec/measure/probes.h"

namespace pipegraph {

/// Two devices, on GPUs of their own where there are two.
class GpuProbes final : public ProbeDevices {
 public:
  /// Errors: those of choose_gpus; CudaError.
  GpuProbes();
  EngineFactory engines(Bytes buffer) override;
  Mover* mover() override { return &lanes_; }

 private:
  CudaLanes lanes_;
};

}  // namespace pipegraph
