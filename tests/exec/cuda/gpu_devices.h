// Trains plans with CUDA engines, for tests that ask whether they compute what the cpu computes;
// optionally with a mistake planted between the engines and the executor.
#pragma once

#include <gtest/gtest.h>

#include "exec/cuda/cuda_engine.h"
#include "exec/cuda/cuda_whole_step.h"
#include "exec/cuda/gpu_times.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/nccl_transport.h"
#include "tests/exec/cuda/gpu_ground.h"
#include "tests/exec/numerics/trained_plans.h"

namespace pipegraph::test {

/// What is known of times of instructions, and what events had said of the last traced step.
class WatchedTimes final : public StepTimes {
 public:
  explicit WatchedTimes(std::unique_ptr<GpuTimes> times) : times_(std::move(times)) {}
  GpuTimes& times() { return *times_; }
  const RunRecord& by_events() const { return *by_events_; }

  void begin() override { times_->begin(); }
  void end(SteadyTime epoch, RunRecord& record) override {
    by_events_ = record;
    times_->end(epoch, record);
  }

 private:
  std::unique_ptr<GpuTimes> times_;
  std::optional<RunRecord> by_events_;
};

class GpuDevices final : public OtherDevices {
 public:
  /// Stands between the transport and the lanes.
  using Wrap = std::function<std::unique_ptr<Mover>(CudaLanes&)>;
  struct Settings {
    Wrap wrap{};                         ///< none: the lanes as they are
    std::optional<NcclSettings> nccl{};  ///< between GPUs; none: copies
    StepIssue issue = StepIssue::Instructions;
    GpuAttention attention = GpuAttention::Own;
    /// Where times come from; none: events. `watched` is told what was made.
    std::optional<GpuTimeSource> times{};
    WatchedTimes** watched = nullptr;
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
    if (settings.times)
      times_ = std::make_unique<WatchedTimes>(
          make_gpu_times(devices.tables().program(), *settings.times, alone_));
    if (settings.watched != nullptr) *settings.watched = times_.get();
    if (settings.issue != StepIssue::Instructions)
      whole_step_ = std::make_unique<CudaWholeStep>(
          CudaWholeStep::Shared{devices.tables().program(), devices.order(), lanes_,
                                devices.engines()},
          settings.issue);
  }

  EngineFactory engines() override {
    WorkMarks* const marks = times_ ? times_->times().marks() : nullptr;
    return cuda_engines({devices_.tables(), devices_.order(), lanes_, marks},
                        {.seed = options_.seed,
                         .memory = options_.memory,
                         .device = {.workspace = k_test_workspace},
                         .attention = attention_},
                        devices_.engines());
  }
  Mover* mover() override { return wrapped_ ? wrapped_.get() : &lanes_; }
  WholeStep* whole_step() override { return whole_step_.get(); }
  StepTimes* step_times() override { return times_.get(); }
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
  SingleRank alone_;
  std::unique_ptr<WatchedTimes> times_;
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
