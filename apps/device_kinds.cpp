#include "apps/device_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "apps/cuda_module.h"
#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "exec/cores.h"
#include "exec/cpu/cpu_engine.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/steps/executable.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

class EmulatedDevices final : public DeviceSet {
 public:
  explicit EmulatedDevices(DeviceContext context) : context_(std::move(context)) {}
  EngineFactory engines() override { return emulated_engines(); }
  ClockFactory clocks() override {
    return emulated_clocks(context_.program, *context_.workload.topology, context_.collectives,
                           context_.emulated_time);
  }

 private:
  DeviceContext context_;
};

/// Bytes of a device: those the memory function counts, as they are laid out and as it predicts,
/// and those it leaves out.
struct DeviceMemoryUse {
  DeviceId device;
  Bytes planned, predicted, beside;
};

DeviceMemoryUse memory_use(const DevicePasses& passes) {
  const auto size = [&](Area area) { return passes.sizes()[static_cast<std::size_t>(area)]; };
  const Bytes lasting = size(Area::Parameters) + size(Area::Gradients) + size(Area::State);
  return {.device = passes.device(),
          .planned = lasting + passes.arena().bytes(),
          .predicted = lasting + passes.arena().peak(),
          .beside = size(Area::Scratch) + size(Area::Held) + size(Area::Accumulators) +
                    size(Area::Losses)};
}

class CpuDevices final : public DeviceSet {
 public:
  explicit CpuDevices(const DeviceContext& context)
      : seed_(context.seed),
        samples_(*context.workload.graph, context.seed),
        devices_(context.workload, context.stages, context.program) {
    devices_.order().data = &samples_;
  }
  EngineFactory engines() override {
    return cpu_engines(devices_.tables(), devices_.order(), {.seed = seed_}, devices_.engines());
  }
  ClockFactory clocks() override {
    return [](DeviceId) { return make_real_clock(); };
  }
  TrainingDevices* training() override { return &devices_; }
  std::size_t units() const override { return usable_cores().size(); }
  std::vector<std::string> notes() const override {
    std::optional<DeviceMemoryUse> fullest;
    for (std::size_t i = 0; i < devices_.engines().size(); ++i) {
      const DeviceMemoryUse use = use_of(make_id<DeviceId>(i));
      if (!fullest || use.planned + use.beside > fullest->planned + fullest->beside) fullest = use;
    }
    if (!fullest) return {};
    return {
        fmt::format("memory of d{}, the fullest device: {} for what the plan keeps ({} predicted), "
                    "{} beside it "
                    "for what lives inside one pass",
                    fullest->device.value, to_text(fullest->planned), to_text(fullest->predicted),
                    to_text(fullest->beside))};
  }

 private:
  /// Of any rank's device: its memory follows from the plan.
  DeviceMemoryUse use_of(DeviceId device) const {
    if (const TrainingEngine* const engine = devices_.engines()[device.index()])
      return memory_use(engine->passes());
    return memory_use(DevicePasses(devices_.tables(), device));
  }

  std::uint64_t seed_;
  SyntheticData samples_;
  TrainingDevices devices_;
};

std::unique_ptr<DeviceSet> make_cuda_set(const DeviceContext& context) {
  return cuda_module().make_devices(context);
}

template <class Devices>
std::unique_ptr<DeviceSet> make_set(const DeviceContext& context) {
  return std::make_unique<Devices>(context);
}

constexpr std::array k_kinds{
    DeviceKind{"cpu", "cores of this machine, in fp32", Computes::Yes, make_set<CpuDevices>,
               cpu_arithmetic, k_fp32_alone},
    DeviceKind{"cuda", "GPUs of this machine, in fp32, TF32 or bf16", Computes::Yes, make_cuda_set},
    DeviceKind{"emulated", "no arithmetic: each instruction takes its modelled time", Computes::No,
               make_set<EmulatedDevices>},
};

}  // namespace

std::span<const DeviceKind> device_kinds() { return k_kinds; }

const DeviceKind& device_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const DeviceKind& kind : k_kinds) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  if (name == "gpu" || name == "nccl" || name == "nvidia")
    throw ConfigError({.file = "--backend"}, fmt::format("there is no backend '{}'", name),
                      "'cuda' for GPUs (or one of cpu, emulated)");
  throw ConfigError({.file = "--backend"},
                    name.empty() ? "missing" : fmt::format("there is no backend '{}'", name),
                    expected_one_of(name, names));
}

void check_precision(const DeviceKind& kind, Precision precision) {
  if (kind.precisions.empty() || std::ranges::count(kind.precisions, precision) > 0) return;
  std::vector<std::string_view> names;
  for (const Precision known : kind.precisions) names.push_back(to_text(known));
  throw ConfigError(
      {.key = "training.precision"},
      fmt::format("the backend '{}' does not compute in {}", kind.name, to_text(precision)),
      fmt::format("{}, or another backend: cuda computes in bf16, emulated takes any",
                  fmt::join(names, " or ")));
}

}  // namespace pipegraph
