// A progress bar with an estimate of the time left, on a terminal, for what takes over two seconds.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "apps/console.h"

namespace pipegraph {

/// "[#####.....] 3/8 graphpipe, 12 s left". `fraction` within [0, 1].
std::string progress_line(double fraction, double elapsed_s, const std::string& label);

/// Draws itself twice a second by a timer signal, so that long steps show too; no thread is made,
/// since simulations fork. One at a time. Silent where standard error is not a terminal.
class Progress {
 public:
  /// `steps` steps of about equal length.
  Progress(const Console& console, std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Step `index` (from 0) begins; `label` says what it is.
  void begin(std::size_t index, const std::string& label);
  /// The step consists of `total` parts from here on. Returns where to count those that are done,
  /// in memory shared with child processes.
  std::atomic<std::uint64_t>& parts(std::uint64_t total);

 private:
  bool active_;
};

}  // namespace pipegraph
