#include "apps/device_kinds.h"

#include <array>
#include <vector>

#include "core/base/errors.h"
#include "core/base/nearest.h"
#include "exec/emulated/emulated_engine.h"

namespace pipegraph {
namespace {

EngineFactory emulated(const DeviceContext& /*context*/) { return emulated_engines(); }

ClockFactory emulated_clocks_of(const DeviceContext& context) {
  return emulated_clocks(context.program, *context.workload.topology, context.collectives,
                         context.emulated_time);
}

constexpr std::array k_kinds{
    DeviceKind{"emulated", "no arithmetic: each instruction takes its modelled time", emulated,
               emulated_clocks_of},
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
