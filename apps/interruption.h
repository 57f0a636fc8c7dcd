// What Ctrl-C, `kill` and a closed terminal leave behind: nothing half-done.
#pragma once

#include <csignal>
#include <optional>

#include "core/report/results_folder.h"

namespace pipegraph {

/// SIGHUP, SIGINT and SIGTERM first remove what is left over and then end the program as they
/// always do. One at a time; what this process forks is not affected.
class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const Leftovers& leftovers);
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
  /// From here on the signals remove nothing.
  ~RemovedOnSignal();
};

/// The same signals wait until it is gone.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  sigset_t before_{};
};

/// Files take their place all or not at all, whatever signal comes; from then on none removes them.
void commit(ResultsFolder& folder, std::optional<RemovedOnSignal>& interruption);

}  // namespace pipegraph
