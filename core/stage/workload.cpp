#include "core/stage/workload.h"

#include <array>

namespace pipegraph {
namespace {

constexpr std::array k_optimizers{Optimizer::None, Optimizer::Sgd, Optimizer::Momentum,
                                  Optimizer::Adam};

}  // namespace

std::uint64_t state_copies(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::None:
    case Optimizer::Sgd:
      return 0;
    case Optimizer::Momentum:
      return 1;
    case Optimizer::Adam:
      return 2;
  }
  throw InternalError("unknown optimizer");
}

std::string_view to_text(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::None:
      return "none";
    case Optimizer::Sgd:
      return "sgd";
    case Optimizer::Momentum:
      return "momentum";
    case Optimizer::Adam:
      return "adam";
  }
  throw InternalError("unknown optimizer");
}

std::optional<Optimizer> parse_optimizer(std::string_view text) {
  for (const Optimizer optimizer : k_optimizers)
    if (to_text(optimizer) == text) return optimizer;
  return std::nullopt;
}

ComputeRate compute_rate(const Device& device, Precision precision) {
  return {.peak = device.peak[static_cast<std::size_t>(precision)],
          .efficiency = device.efficiency[static_cast<std::size_t>(precision)],
          .memory_bandwidth = device.memory_bandwidth,
          .launch = device.launch,
          .multiprocessors = device.multiprocessors,
          .slowdown = device.slowdown};
}

}  // namespace pipegraph
