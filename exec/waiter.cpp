#include "exec/waiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

constexpr Seconds k_longest_sleep{1.0};
constexpr std::uint32_t k_looks_per_clock = 64;
constexpr std::uint32_t k_looks_at_once = 64;  // at what tells nobody; then the device sleeps
constexpr Seconds k_between_looks{0.00005};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Between looks at the progress of others, which cost the more the more devices there are;
/// whatever arrives wakes a sleeper at once.
Seconds longest_sleep(Seconds deadline) { return std::min(k_longest_sleep, deadline / 8); }

}  // namespace

void Waiter::pause(WaitKind kind, Seconds at_most) {
  give_up_if_failed();
  if (looks_ == 0) phase_ = options_.spin > Seconds{0} ? Phase::Spinning : Phase::Sleeping;
  if (looks_ == 0 || (phase_ == Phase::Spinning && !keep_spinning())) {
    looked_ = since_ = std::chrono::steady_clock::now();
    seen_ = 0;
  }
  ++looks_;
  if (phase_ == Phase::Spinning)
    relax();
  else
    sleep(kind, std::min(at_most, longest_sleep(options_.deadline)));
}

bool Waiter::keep_spinning() {
  if (looks_ % k_looks_per_clock != 0) return true;
  if (std::chrono::steady_clock::now() - since_ < options_.spin) return true;
  phase_ = Phase::Sleeping;
  return false;
}

void Waiter::sleep(WaitKind kind, Seconds at_most) {
  check_deadline();
  if (kind == WaitKind::ForUnannounced) {
    if (looks_ > k_looks_at_once)
      shared_.transport.sleep(self_, std::min(at_most, k_between_looks));
    return;
  }
  if (kind == WaitKind::ForOwnWork) {
    shared_.transport.sleep(self_, at_most);
    return;
  }
  shared_.quiescence.enter();
  const bool for_ever = shared_.quiescence.reached(shared_.transport);
  if (!for_ever) shared_.transport.sleep(self_, at_most);
  shared_.quiescence.leave();
  if (for_ever) throw MachineError("all devices wait for each other, and no message is on its way");
}

void Waiter::check_deadline() {
  const SteadyTime now = std::chrono::steady_clock::now();
  // A process that was stopped knows nothing of what moved meanwhile.
  const bool was_stopped = now - std::exchange(looked_, now) > options_.deadline / 2;
  if (was_stopped) since_ = now;
  if (now - since_ < longest_sleep(options_.deadline)) return;  // nothing to find out yet
  const std::uint64_t progress = shared_.state.progress.total();
  if (progress != seen_) {
    seen_ = progress;
    since_ = now;
  } else if (now - since_ > options_.deadline) {
    throw MachineError(
        fmt::format("nothing has moved on any device for {} s", options_.deadline.count()));
  }
}

}  // namespace pipegraph
