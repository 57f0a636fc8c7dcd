// How a program is executed, whatever the engine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/units.h"

namespace pipegraph {

/// Pins each device's thread to a core of the process's affinity mask if there are enough of them.
enum class Pinning : std::uint8_t { WhereCoresSuffice, Never };

struct ExecutionOptions {
  Seconds deadline{60};  ///< without progress on any device
  Seconds grace{5};      ///< for devices to end after a failure
  Pinning pinning = Pinning::WhereCoresSuffice;
};

/// Cores that this process may use, from its affinity mask.
std::size_t usable_cores();

}  // namespace pipegraph
