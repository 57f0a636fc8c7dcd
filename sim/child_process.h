// Runs a function in a forked child whose output is kept, and tells how it ended.
#pragma once

#include <functional>
#include <string>

#include "core/base/units.h"

namespace pipegraph {

struct ChildEnd {
  bool exited = false;  ///< by its own exit, else by a signal
  int code = 0;         ///< exit code or signal number
  std::string output;   ///< what it wrote to standard output and error, the first 16 KiB
  Seconds cpu_time{0};
  Bytes peak_memory;
};

/// Flushes stdio, forks, runs `body` in the child and leaves it by _exit with the body's value;
/// nothing of the caller is run or flushed twice. The child dies with its parent. `body` must not
/// throw. Errors: MachineError if there can be no child.
ChildEnd run_in_child(const std::function<int()>& body);

}  // namespace pipegraph
