// Trains plans with CUDA engines on the stand-in's GPUs, for tests that ask whether they compute
// what the cpu computes; optionally with a mistake planted between the engines and the executor.
#pragma once

#include <gtest/gtest.h>

#include "exec/cuda/cuda_engine.h"
#include "exec/cuda/cuda_whole_step.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/nccl_transport.h"
#include "tests/exec/numerics/trained_plans.h"
#include "tests/support/cuda_stand_in/control.h"
#include "tests/support/cuda_stand_in/sanitizer.h"

namespace pipegraph::test {

/// Small, as the stand-in does not use it.
inline constexpr Bytes k_small_workspace{4096};

class StandInDevices final : public OtherDevices {
 public:
  /// Stands between the transport and the lanes.
  using Wrap = std::function<std::unique_ptr<Mover>(CudaLanes&)>;
  struct Settings {
    Wrap wrap{};                         ///< none: the lanes as they are
    std::optional<NcclSettings> nccl{};  ///< between GPUs; none: copies
    StepIssue issue = StepIssue::Instructions;
    /// Stands between the executor and what exchanges by NCCL.
    std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport>)> outside{};
  };

  StandInDevices(TrainingDevices& devices, const TrainingRunOptions& options,
                 const Settings& settings)
      : devices_(devices),
        options_(options),
        lanes_(choose_gpus(devices.engines().size(), GpuSharing::Allowed)),
        wrapped_(settings.wrap ? settings.wrap(lanes_) : nullptr),
        nccl_(settings.nccl),
        outside_(settings.outside) {
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
                         .device = {.workspace = k_small_workspace}},
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
};

/// Options of a run on the stand-in.
inline TrainingRunOptions on_stand_in(const StandInDevices::Settings& settings = {}) {
  TrainingRunOptions options;
  options.precisions = k_precisions_of_gpus;
  options.make_devices = [settings](TrainingDevices& devices, const TrainingRunOptions& of_run) {
    return std::make_unique<StandInDevices>(devices, of_run, settings);
  };
  return options;
}

/// A fresh stand-in with two GPUs, at either pace, that must end with nothing found and nothing
/// left over.
class CudaTraining : public testing::TestWithParam<cuda_stand_in::Pace> {
 protected:
  CudaTraining() { start({}); }
  ~CudaTraining() override {
    EXPECT_EQ(cuda_stand_in::take_findings(), std::vector<std::string>{});
    EXPECT_EQ(cuda_stand_in::reset(), std::vector<std::string>{}) << "left over";
  }
  static void start(cuda_stand_in::Settings settings) {
    settings.pace = GetParam();
    cuda_stand_in::reset(settings);
  }
};

}  // namespace pipegraph::test
