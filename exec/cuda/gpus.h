// Which GPUs there are, and which one each device of a program uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace pipegraph {

/// Whether a program may have more devices than there are GPUs; they then take turns.
enum class GpuSharing : std::uint8_t { Refused, Allowed };

/// The GPU of each device, round robin. Errors: MachineError, one line, if there is no driver, if
/// it is too old, if there is no GPU, or fewer than devices and sharing is refused.
std::vector<int> choose_gpus(std::size_t devices, GpuSharing sharing);

/// "node7 0000:3b:00.0": the same text for the same GPU, whichever process asks. Errors: CudaError.
std::string gpu_identity(int gpu);

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
