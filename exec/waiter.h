// How a device waits when it has nothing to do: it spins for a while if it has a core of its own,
// then sleeps; it gives up when another device has failed, when everyone waits for each other, or
// when nothing has moved anywhere for the deadline.
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "exec/clock.h"
#include "exec/quiescence.h"
#include "exec/state/run_state.h"
#include "exec/transport/transport.h"

namespace pipegraph {

/// Ends a device's loop because another has failed; nobody reports it.
struct Abandoned {};

/// What a device waits for: others, work of its own whose end is known, or something that tells
/// nobody when it ends, such as a GPU.
enum class WaitKind : std::uint8_t { ForOthers, ForOwnWork, ForUnannounced };

struct WaitOptions {
  Seconds deadline{60};
  Seconds spin{0};  ///< 0: sleep at once
};

class Waiter {
 public:
  /// All must outlive it.
  struct Shared {
    RunState& state;
    Transport& transport;
    Quiescence& quiescence;
  };
  Waiter(const Shared& shared, DeviceId self, const WaitOptions& options)
      : shared_(shared), self_(self), options_(options) {}

  /// A new wait begins. Throws Abandoned if another device has failed.
  void begin() {
    looks_ = 0;
    give_up_if_failed();
  }
  /// There was nothing to do; returns when it is worth to look again, after `at_most` at the
  /// latest. Errors: Abandoned; MachineError if this device is the first to give up.
  void pause(WaitKind kind, Seconds at_most);

 private:
  enum class Phase : std::uint8_t { Spinning, Sleeping };

  void give_up_if_failed() const {
    if (shared_.state.failure.happened()) throw Abandoned{};
  }
  bool keep_spinning();
  void sleep(WaitKind kind, Seconds at_most);
  void check_deadline();

  Shared shared_;
  DeviceId self_;
  WaitOptions options_;
  std::uint32_t looks_ = 0;
  Phase phase_ = Phase::Spinning;
  SteadyTime since_;
  SteadyTime looked_;       ///< at the deadline
  std::uint64_t seen_ = 0;  ///< progress at `since_`
};

}  // namespace pipegraph
