#include "exec/measure/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace pipegraph {
namespace {

constexpr double k_most_waiting = 0.03;
constexpr double k_most_taken_off_per_s = 100.0;
constexpr std::uint64_t k_least_taken_off = 10;  // fewer say nothing about a rate
constexpr double k_nanosecond = 1e-9;

/// Of a thread's `schedstat`: nanoseconds on a core, then waiting for one.
bool add_times(const std::filesystem::path& file, SchedulingTotals& totals) {
  std::ifstream text(file);
  double run = 0.0;
  double waited = 0.0;
  if (!(text >> run >> waited)) return false;
  totals.run += Seconds{run * k_nanosecond};
  totals.waited += Seconds{waited * k_nanosecond};
  return true;
}

std::uint64_t taken_off(const std::filesystem::path& status) {
  constexpr std::string_view k_key = "nonvoluntary_ctxt_switches:";
  std::ifstream text(status);
  std::string line;
  while (std::getline(text, line))
    if (line.starts_with(k_key)) return std::stoull(line.substr(k_key.size()));
  return 0;
}

void add_thread(const std::filesystem::path& task, SchedulingTotals& totals) {
  if (!add_times(task / "schedstat", totals)) return;
  totals.taken_off += taken_off(task / "status");
  ++totals.threads;
}

}  // namespace

SchedulingTotals scheduling_totals_of_this_thread() {
  SchedulingTotals totals;
  add_thread("/proc/thread-self", totals);
  return totals;
}

SchedulingTotals scheduling_totals(const std::string& tasks) {
  SchedulingTotals totals;
  std::error_code failed;
  for (std::filesystem::directory_iterator task(tasks, failed), end; !failed && task != end;
       task.increment(failed))
    add_thread(task->path(), totals);
  return totals;
}

Disturbance between(const SchedulingTotals& before, const SchedulingTotals& after,
                    Seconds elapsed) {
  if (after.threads == 0 || elapsed <= Seconds{0}) return {};
  // Threads that ended in between take their totals along.
  const std::uint64_t taken = std::max(after.taken_off, before.taken_off) - before.taken_off;
  return {.known = true,
          .run = std::max(after.run - before.run, Seconds{0}),
          .waited = std::max(after.waited - before.waited, Seconds{0}),
          .taken_off = taken,
          .elapsed = elapsed};
}

double waiting_share(const Disturbance& disturbance) {
  const Seconds total = disturbance.run + disturbance.waited;
  return total > Seconds{0} ? disturbance.waited / total : 0.0;
}

double taken_off_per_s(const Disturbance& disturbance) {
  if (disturbance.elapsed <= Seconds{0}) return 0.0;
  return static_cast<double>(disturbance.taken_off) / disturbance.elapsed.count();
}

bool disturbed(const Disturbance& disturbance) {
  const bool often = disturbance.taken_off >= k_least_taken_off &&
                     taken_off_per_s(disturbance) > k_most_taken_off_per_s;
  return disturbance.known && (waiting_share(disturbance) > k_most_waiting || often);
}

std::string to_text(const Disturbance& disturbance) {
  if (!disturbance.known) return "disturbance unknown: the system does not tell";
  return fmt::format("run-queue delay {:.1f} %, {:.0f} involuntary switches/s",
                     100.0 * waiting_share(disturbance), taken_off_per_s(disturbance));
}

}  // namespace pipegraph
