// What Ctrl-C, `kill` and a closed terminal leave behind: nothing half-done.
#pragma once

#include <sys/types.h>

#include <filesystem>
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

/// The same signals wait until it is gone, on whatever thread they arrive.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();
};

/// The same signals also end this child process, and wait for its end. One at a time.
class EndedOnSignal {
 public:
  explicit EndedOnSignal(pid_t child);
  EndedOnSignal(const EndedOnSignal&) = delete;
  EndedOnSignal& operator=(const EndedOnSignal&) = delete;
  /// Once the child has been waited for.
  ~EndedOnSignal();
};

/// A results folder that leaves nothing behind, whatever signal ends the program before commit().
class GuardedResults {
 public:
  /// Errors: as ResultsFolder::create.
  explicit GuardedResults(const std::filesystem::path& target);
  GuardedResults(const GuardedResults&) = delete;
  GuardedResults& operator=(const GuardedResults&) = delete;
  ~GuardedResults();

  ResultsFolder& folder() { return folder_; }
  /// Files take their place all or not at all; from then on no signal removes them.
  void commit();

 private:
  std::optional<SignalsHeld> held_;  // while the members below come and go
  ResultsFolder folder_;
  std::optional<RemovedOnSignal> removal_;
};

}  // namespace pipegraph
