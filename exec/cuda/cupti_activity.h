// What CUPTI saw GPUs do between enable() and take(), by the marks that threads had set when they
// enqueued it. One at a time in a process: CUPTI has one set of buffers for all.
#pragma once

#include <cstdint>
#include <map>

namespace pipegraph {

/// From the first beginning to the last end, in nanoseconds of CUPTI's clock.
struct ActivityInterval {
  std::uint64_t begin_ns = 0, end_ns = 0;
};

struct RecordedActivity {
  std::map<std::uint64_t, ActivityInterval> by_mark;
  std::size_t dropped = 0;    ///< records that found no place in a buffer
  std::size_t unstamped = 0;  ///< marked work of which no times are known
};

/// Errors of all: MachineError.
class CuptiActivity {
 public:
  /// Also asks whether everything can be recorded.
  CuptiActivity();
  ~CuptiActivity();
  CuptiActivity(const CuptiActivity&) = delete;
  CuptiActivity& operator=(const CuptiActivity&) = delete;

  void enable();
  /// Nothing is recorded afterwards. All that was marked has ended, and the GPUs are idle.
  RecordedActivity take();

  /// What the calling thread enqueues between them has this mark.
  static void push(std::uint64_t mark);
  static void pop();

 private:
  void disable();
  bool enabled_ = false;
};

}  // namespace pipegraph
