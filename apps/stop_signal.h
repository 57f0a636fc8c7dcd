// SIGINT and SIGTERM ask for an orderly end: what runs finishes its step, saves what it should, and
// returns. A second signal of the kind ends the process at once.
#pragma once

#include <csignal>

namespace pipegraph {

/// Handles both signals while it lives; one at a time.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  /// The signal that came, 0 if none.
  static int received();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace pipegraph
