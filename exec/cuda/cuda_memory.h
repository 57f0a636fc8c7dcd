// The memory of a device that lies on a GPU: one arena with all areas in it, and what all-reduces
// ask for besides.
#pragma once

#include <vector>

#include "exec/cuda/handles.h"
#include "exec/passes/device_passes.h"

namespace pipegraph {

/// Bytes of a device: what the memory function counts for it, what else follows from the program
/// (scratch and losses, the workspace of cuBLAS, what sums gather and NCCL stages), and the most it
/// has had from the GPU.
struct DeviceMemoryUse {
  Bytes predicted;
  Bytes beside;
  Bytes high_water;
};

class CudaMemory {
 public:
  /// On the calling thread's current GPU; not filled. `passes` must outlive this. Errors:
  /// MachineError with the device, its stages, the bytes of each area and the largest tensor if the
  /// GPU has not enough left; CudaError.
  explicit CudaMemory(const DevicePasses& passes);

  const AreaBases& bases() const { return bases_; }
  /// One more block, which lives as long. Errors: the same.
  std::byte* allocate(Bytes bytes);
  /// `besides` is what other blocks are going to take.
  DeviceMemoryUse use(Bytes besides) const;

 private:
  const DevicePasses& passes_;
  std::vector<GpuMemory> blocks_;
  AreaBases bases_{};
  Bytes areas_;
  Bytes allocated_;
};

}  // namespace pipegraph
