// The CUDA backend is a module of its own, which is loaded when a run asks for it: nothing else
// that the program does loads CUDA's libraries, or needs them.
#pragma once

#include <memory>

#include "apps/device_kinds.h"

namespace pipegraph {

/// What the module offers, by the name below. The caller owns the result. Errors: those of
/// make_cuda_devices.
using MakeCudaDevices = DeviceSet*(const DeviceContext& context);
inline constexpr const char* k_make_cuda_devices = "pipegraph_make_cuda_devices";

/// Loads the module beside this program. Errors: MachineError, one line, if it was not built or
/// cannot be loaded, and those of choose_gpus; ConfigError for what devices cannot train.
std::unique_ptr<DeviceSet> make_cuda_devices(const DeviceContext& context);

}  // namespace pipegraph
