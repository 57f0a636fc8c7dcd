#include "apps/device_kinds.h"

#include <array>
#include <vector>

#include "apps/cuda_module.h"
#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "exec/cpu/cpu_engine.h"
#include "exec/emulated/emulated_engine.h"
#include "exec/training/synthetic_data.h"

namespace pipegraph {
namespace {

class EmulatedDevices final : public DeviceSet {
 public:
  explicit EmulatedDevices(const DeviceContext& context) : context_(context) {}
  EngineFactory engines() override { return emulated_engines(); }
  ClockFactory clocks() override {
    return emulated_clocks(context_.program, *context_.workload.topology, context_.collectives,
                           context_.emulated_time);
  }

 private:
  DeviceContext context_;
};

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

 private:
  std::uint64_t seed_;
  SyntheticData samples_;
  TrainingDevices devices_;
};

template <class Devices>
std::unique_ptr<DeviceSet> make_set(const DeviceContext& context) {
  return std::make_unique<Devices>(context);
}

constexpr std::array k_kinds{
    DeviceKind{"cpu", "cores of this machine, in fp32", Computes::Yes, make_set<CpuDevices>,
               cpu_arithmetic},
    DeviceKind{"cuda", "GPUs of this machine, in fp32", Computes::Yes, make_cuda_devices},
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
  throw ConfigError({.file = "--backend"},
                    name.empty() ? "missing" : fmt::format("there is no backend '{}'", name),
                    expected_one_of(name, names));
}

}  // namespace pipegraph
