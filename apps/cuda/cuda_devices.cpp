// The module with the CUDA backend: devices of `pipegraph run` that are GPUs of this machine.
#include <fmt/format.h>

#include <set>

#include "apps/cuda_module.h"
#include "core/base/errors.h"
#include "exec/cuda/cuda_engine.h"
#include "exec/cuda/cuda_whole_step.h"
#include "exec/cuda/cudnn_attention.h"
#include "exec/cuda/gpu_facts.h"
#include "exec/cuda/gpu_links.h"
#include "exec/cuda/gpu_probes.h"
#include "exec/cuda/gpu_profile.h"
#include "exec/cuda/gpu_times.h"
#include "exec/cuda/gpus.h"
#include "exec/cuda/nccl_transport.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

GpuTransport transport_of(const DeviceContext& context) {
  const bool ranks = context.ranks->size() > 1;
  if (ranks && context.gpus.transport == GpuTransport::Copy)
    throw ConfigError({.file = "--transport"}, "copies reach within a process only",
                      "--transport nccl where there are several ranks");
  return context.gpus.transport.value_or(ranks ? GpuTransport::Nccl : GpuTransport::Copy);
}

/// By device; -1: it belongs to another rank.
std::vector<int> gpus_of_devices(const DeviceContext& context) {
  const std::vector<int> own =
      choose_gpus(devices_here(context.rank_of_device, *context.ranks), context.gpus.sharing);
  std::vector<int> gpus(context.rank_of_device.size(), -1);
  std::size_t taken = 0;
  for (std::size_t device = 0; device < gpus.size(); ++device)
    if (context.rank_of_device[device] == context.ranks->rank()) gpus[device] = own[taken++];
  return gpus;
}

GpuAttention checked_attention(const DeviceContext& context) {
  const GpuAttention attention = context.gpus.attention;
  check_attention(attention, *context.workload.graph, context.workload.training.precision);
  if (attention == GpuAttention::Cudnn) CudnnAttention::version();  // loads the library, or says so
  return attention;
}

class CudaDevices final : public DeviceSet {
 public:
  explicit CudaDevices(const DeviceContext& context)
      : seed_(context.seed),
        samples_(*context.workload.graph, context.seed),
        devices_(context.workload, context.stages, context.program, k_precisions_of_gpus),
        transport_(transport_of(context)),
        nccl_(context.gpus.nccl),
        attention_(checked_attention(context)),
        lanes_(gpus_of_devices(context)) {
    devices_.order().data = &samples_;
    if (context.tracing == Tracing::On)
      times_ = make_gpu_times(context.program, context.gpus.times.value_or(GpuTimeSource::Auto),
                              *context.ranks);
    if (context.issue == StepIssue::Instructions) return;
    if (transport_ == GpuTransport::Nccl && units() > 1 && context.ranks->size() == 1)
      throw ConfigError({.file = "--issue"}, "whole steps bring messages between GPUs by copies",
                        "--transport copy, or --issue instructions");
    whole_step_ = std::make_unique<CudaWholeStep>(
        CudaWholeStep::Shared{context.program, devices_.order(), lanes_, devices_.engines()},
        context.issue);
  }
  EngineFactory engines() override {
    return cuda_engines(
        {devices_.tables(), devices_.order(), lanes_, times_ ? times_->marks() : nullptr},
        {.seed = seed_, .attention = attention_}, devices_.engines());
  }
  ClockFactory clocks() override {
    return [](DeviceId) { return make_real_clock(); };
  }
  TrainingDevices* training() override { return &devices_; }
  Mover* mover() override { return &lanes_; }
  WholeStep* whole_step() override { return whole_step_.get(); }
  StepTimes* step_times() override { return times_.get(); }
  std::string time_source() const override { return times_ ? times_->source() : ""; }
  std::unique_ptr<Transport> transport(const TransportContext& context) override {
    if (transport_ == GpuTransport::Copy) return nullptr;
    return make_nccl_transport(context, lanes_, nccl_);
  }
  std::size_t units() const override {
    std::set<int> gpus(lanes_.gpus().begin(), lanes_.gpus().end());
    gpus.erase(-1);
    return gpus.size();
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const TrainingEngine* engine : devices_.engines()) {
      if (engine == nullptr) continue;
      const DeviceId device = engine->passes().device();
      const DeviceMemoryUse use = static_cast<const CudaEngine*>(engine)->memory_use();
      notes.push_back(fmt::format(
          "device d{} on GPU {} had at most {} of memory, {} expected: {} by the plan, {} beside "
          "it",
          device.value, lanes_.gpu(device), to_text(use.high_water),
          to_text(use.predicted + use.beside), to_text(use.predicted), to_text(use.beside)));
    }
    if (transport_ == GpuTransport::Nccl)
      notes.push_back("messages between GPUs by " + nccl_text());
    if (attention_ == GpuAttention::Cudnn)
      notes.push_back("attention by cuDNN " + CudnnAttention::version());
    if (times_)
      notes.push_back(fmt::format(
          "times from {}: those of {}, others are stamps of the host", times_->source(),
          transport_ == GpuTransport::Nccl ? "computes and copies" : "computes and messages"));
    return notes;
  }

 private:
  std::uint64_t seed_;
  SyntheticData samples_;
  TrainingDevices devices_;
  GpuTransport transport_;
  NcclSettings nccl_;
  GpuAttention attention_;
  CudaLanes lanes_;
  std::unique_ptr<CudaWholeStep> whole_step_;
  std::unique_ptr<GpuTimes> times_;
};

class Module final : public CudaModule {
 public:
  std::unique_ptr<DeviceSet> make_devices(const DeviceContext& context) const override {
    return std::make_unique<CudaDevices>(context);
  }
  MachineGpus gpus() const override { return describe_gpus(); }
  std::vector<MeasuredOperator> profile_operators(
      const ComputationGraph& graph, const OperatorProfileOptions& options) const override {
    return profile_gpu_operators(graph, options);
  }
  MeasuredBandwidth optimizer_bandwidth(Optimizer optimizer,
                                        std::int32_t repetitions) const override {
    return measure_gpu_optimizer(optimizer, repetitions);
  }
  std::unique_ptr<ProbeDevices> probe_devices() const override {
    return std::make_unique<GpuProbes>();
  }
  MachineLinks measure_links(const LinkOptions& options) const override {
    return measure_gpu_links(options);
  }
};

}  // namespace
}  // namespace pipegraph

extern "C" const pipegraph::CudaModule* pipegraph_cuda_module() {
  static const pipegraph::Module k_module;
  return &k_module;
}
