// Trains plans with CUDA engines, for tests that ask whether they compute what the cpu computes;
// optionally with a mistake planted between the engines and the executor.
#pragma once

#include <gtest/gtest.h>

#include "exec/cuda/cuda_engine.h"
#include "exec/cuda/cuda_whole_step.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/nccl_transport.h"
#include "tests/exec/cuda/gpu_ground.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {

class GpuDevices final : public OtherDevices {
 public:
  /// Stands between the transport and the lanes.
  using Wrap = std::function<std::unique_ptr<Mover>(CudaLanes&)>;
  struct Settings {
    Wrap wrap{};                         ///< none: the lanes as they are
    std::optional<NcclSettings> nccl{};  ///< between GPUs; none: copies
    StepIssue issue = StepIssue::Instructions;
    GpuAttention attention = GpuAttention::Own;
    /// Stands between the executor and what exchanges by NCCL.
    std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)> outside{};
  };

  GpuDevices(TrainingDevices& devices, const TrainingRunOptions& options, const Settings& settings)
      : devices_(devices),
        options_(options),
        lanes_(choose_gpus(devices.engines().size(), GpuSharing::Allowed)),
        wrapped_(settings.wrap ? settings.wrap(lanes_) : nullptr),
        nccl_(settings.nccl),
        outside_(settings.outside),
        attention_(settings.attention) {
    if (settings.issue != StepIssue::Instructions)
      whole_step_ = std::make_unique<CudaWholeStep>(
          CudaWholeStep::Shared{devices.tables().program(), devices.order(), lanes_,
                                devices.engines()},
          settings.issue);
  }

  EngineFactory engines() override {
    return cuda_engines({devices_.tables(), devices_.order(), lanes_},
                        {.seed = options_.seed,
                         .memory = options_.memory,
                         .device = {.workspace = k_test_workspace},
                         .attention = attention_},
                        devices_.engines());
  }
  Mover* mover() override { return wrapped_ ? wrapped_.get() : &lanes_; }
  WholeStep* whole_step() override { return whole_step_.get(); }
  std::unique_ptr<Transport> transport(const TransportContext& context) override {
    if (!nccl_) return nullptr;
    std::unique_ptr<Transport> nccl = make_nccl_transport(context, lanes_, *nccl_);
    return outside_ ? outside_(std::move(nccl)) : std::move(nccl);
  }

 private:
  TrainingDevices& devices_;
  const TrainingRunOptions& options_;
  CudaLanes lanes_;
  std::unique_ptr<Mover> wrapped_;
  std::optional<NcclSettings> nccl_;
  std::unique_ptr<CudaWholeStep> whole_step_;
  std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)> outside_;
  GpuAttention attention_;
};

/// Options of a run on GPUs.
inline TrainingRunOptions on_gpus(const GpuDevices::Settings& settings = {}) {
  TrainingRunOptions options;
  options.precisions = k_precisions_of_gpus;
  options.make_devices = [settings](TrainingDevices& devices, const TrainingRunOptions& of_run) {
    return std::make_unique<GpuDevices>(devices, of_run, settings);
  };
  return options;
}

}  // namespace pipegraph::test
