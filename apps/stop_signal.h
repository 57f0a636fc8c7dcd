// SIGHUP, SIGINT and SIGTERM ask for an orderly end: what runs finishes its step, saves what it
// should, and returns. A second signal of the kind does what it did before: it ends the process.
#pragma once

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
};

}  // namespace pipegraph
