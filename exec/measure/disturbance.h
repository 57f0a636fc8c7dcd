// Whether others used the machine while something was measured: how long threads that could have
// run waited for a core, and how often they were taken off one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/units.h"

namespace pipegraph {

/// Totals since the threads began, of all threads of a process.
struct SchedulingTotals {
  Seconds run{0};               ///< on a core
  Seconds waited{0};            ///< runnable, without a core
  std::uint64_t taken_off = 0;  ///< involuntary context switches
  std::size_t threads = 0;      ///< of which this could be read
};

/// Of this process's threads, from `tasks` (/proc/self/task). Zero threads where the system does
/// not tell.
SchedulingTotals scheduling_totals(const std::string& tasks = "/proc/self/task");

/// Of the calling thread alone.
SchedulingTotals scheduling_totals_of_this_thread();

/// What happened between two moments.
struct Disturbance {
  bool known = false;           ///< false: the system does not tell
  Seconds run{0};               ///< on a core, of all threads
  Seconds waited{0};            ///< runnable, without a core
  std::uint64_t taken_off = 0;  ///< involuntary context switches
  Seconds elapsed{0};           ///< on the wall clock
};

Disturbance between(const SchedulingTotals& before, const SchedulingTotals& after, Seconds elapsed);

/// waited / (run + waited); 0 if neither.
double waiting_share(const Disturbance& disturbance);
/// 0 if no time elapsed.
double taken_off_per_s(const Disturbance& disturbance);

/// Above 3 % of waiting, or ten and more involuntary switches at over 100 a second.
bool disturbed(const Disturbance& disturbance);

/// "run-queue delay 0.8 %, 25 involuntary switches/s", or that nothing is known.
std::string to_text(const Disturbance& disturbance);

}  // namespace pipegraph
