// Which GPUs there are, and which one each device of a program uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "exec/cuda/gpu_options.h"
#include "exec/transport/ranks.h"

namespace pipegraph {

/// The devices of a process among those of all ranks of the job on this machine.
struct DevicesHere {
  std::size_t own = 0;
  std::size_t before = 0;  ///< of ranks before this one
  std::size_t all = 0;
  std::size_t rank = 0;  ///< of this process among those ranks
  std::size_t ranks = 1;
};
/// All ranks call it together.
DevicesHere devices_here(const std::vector<std::int32_t>& rank_of_device, Ranks& ranks);

/// The GPU of each device of this process. Ranks take the GPUs of a machine in their order; where
/// each sees GPUs of its own (a launcher hides the others), these. Devices that share take turns.
/// Errors: MachineError, one line, if there is no driver, if it is too old, if there is no GPU, or
/// fewer than devices and sharing is refused.
std::vector<int> choose_gpus(const DevicesHere& devices, GpuSharing sharing);
/// For a process on its own.
std::vector<int> choose_gpus(std::size_t devices, GpuSharing sharing);

/// The text of a version of CUDA as its functions give it: 13020 is "13.2".
std::string cuda_version_text(int version);

/// "node7 0000:3b:00.0": the same text for the same GPU, whichever process asks. Errors: CudaError.
std::string gpu_identity(int gpu);

/// Whether the machine lets a GPU access another's memory. Errors: CudaError.
bool can_reach(int gpu, int peer);

/// Lets GPUs that are used copy from each other directly, where the machine can. -1: the device is
/// another process's. Errors: CudaError.
void connect_gpus(const std::vector<int>& gpu_of_device);

/// The calling thread's GPU while it lives, and the one before afterwards. Errors: CudaError.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

}  // namespace pipegraph
