// SIGHUP, SIGINT and SIGTERM ask for an orderly end: what runs finishes its step, saves what it
// should, and returns. A second signal of the kind ends the process at once.
#pragma once

#include <array>
#include <csignal>

namespace pipegraph {

/// Handles these signals while it lives; one at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that came, 0 if none.
  static int received();

 private:
  static constexpr std::array k_signals{SIGHUP, SIGINT, SIGTERM};
  std::array<struct sigaction, k_signals.size()> before_{};
};

}  // namespace pipegraph
