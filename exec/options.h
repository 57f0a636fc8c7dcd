// How a program is executed, whatever the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace pipegraph {

/// Keeps each device's thread on a core of its own, if there are enough of them.
enum class Pinning : std::uint8_t { WhereCoresSuffice, Never };

/// Whether ranks read one clock: as the system tells, or taken to be apart whatever it tells.
enum class RankClocks : std::uint8_t { AsFound, Apart };

struct ExecutionOptions {
  Seconds deadline{60};  ///< without progress on any device
  /// How long devices have to end after a failure, e.g. the rest of a kernel.
  Seconds grace{5};
  /// Called with the message of the failure when a device has not ended by then: nothing but the
  /// end of the process can stop it, so this must not return. Null: std::terminate.
  void (*abandon)(const std::string& message) = nullptr;
  Pinning pinning = Pinning::WhereCoresSuffice;
  RankClocks rank_clocks = RankClocks::AsFound;
  /// Where in the list of usable cores those of this process begin, if other processes of the job
  /// use the same list.
  std::size_t first_core = 0;
  /// How long a waiting device spins before it sleeps, where each device has a core.
  Seconds spin{0.002};
};

}  // namespace pipegraph
