// The CUDA backend is a module of its own, which is loaded when a command asks for GPUs: nothing
// else that the program does loads CUDA's libraries, or needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/device_kinds.h"
#include "core/profile/cost_file.h"
#include "exec/measure/links.h"
#include "exec/measure/operator_profile.h"
#include "exec/measure/probes.h"

namespace pipegraph {

/// What the module offers. Errors of each: those of choose_gpus, and CudaError.
class CudaModule {
 public:
  virtual ~CudaModule() = default;
  /// Errors: also ConfigError for what devices cannot train.
  virtual std::unique_ptr<DeviceSet> make_devices(const DeviceContext& context) const = 0;
  /// The GPUs of this machine and what drives them, for cost files.
  virtual MachineGpus gpus() const = 0;
  virtual std::vector<MeasuredOperator> profile_operators(
      const ComputationGraph& graph, const OperatorProfileOptions& options) const = 0;
  virtual MeasuredBandwidth optimizer_bandwidth(Optimizer optimizer,
                                                std::int32_t repetitions) const = 0;
  virtual std::unique_ptr<ProbeDevices> probe_devices() const = 0;
  virtual MachineLinks measure_links(const LinkOptions& options) const = 0;
};

/// By this name the module exports a function that returns it.
using GetCudaModule = const CudaModule*();
inline constexpr const char* k_get_cuda_module = "pipegraph_cuda_module";

/// The module beside this program, loaded at the first call. Errors: MachineError, one line, if it
/// was not built or cannot be loaded.
const CudaModule& cuda_module();

}  // namespace pipegraph
