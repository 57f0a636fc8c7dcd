#include "core/report/device_times.h"

#include <algorithm>

namespace pipegraph {
namespace {

struct Interval {
  Seconds start{0};
  Seconds end{0};
};

/// Sorts and joins overlapping intervals.
void join(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals, {}, &Interval::start);
  std::size_t kept = 0;
  for (const Interval& next : intervals) {
    if (kept > 0 && next.start <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    else
      intervals[kept++] = next;
  }
  intervals.resize(kept);
}

/// Time inside `these` and outside `those`, both sorted and without overlap.
Seconds time_outside(const std::vector<Interval>& these, const std::vector<Interval>& those) {
  Seconds total{0};
  std::size_t next = 0;
  for (const Interval& interval : these) {
    while (next < those.size() && those[next].end <= interval.start) ++next;
    Seconds from = interval.start;
    for (std::size_t i = next; i < those.size() && those[i].start < interval.end; ++i) {
      if (those[i].start > from) total += those[i].start - from;
      from = std::max(from, those[i].end);
    }
    if (interval.end > from) total += interval.end - from;
  }
  return total;
}

}  // namespace

std::vector<DeviceTimes> device_times(const ProgramIndex& index, const Timeline& timeline,
                                      const std::vector<DeviceId>& devices) {
  const Seconds makespan = timeline.makespan();
  std::vector<DeviceTimes> all;
  all.reserve(devices.size());
  std::vector<Interval> computing;
  std::vector<Interval> moving;
  for (DeviceId device : devices) {
    computing.clear();
    moving.clear();
    DeviceTimes& times = all.emplace_back(DeviceTimes{.device = device});
    for (InstructionId id : index.of_device(device)) {
      const Interval interval{timeline.start[id.index()], timeline.end[id.index()]};
      const bool computes = is_compute(index.program().at(id).kind);
      if (computes) times.compute += interval.end - interval.start;
      (computes ? computing : moving).push_back(interval);
    }
    join(computing);
    join(moving);
    times.exposed_communication = time_outside(moving, computing);
    times.idle = std::max(Seconds{0}, makespan - times.compute - times.exposed_communication);
  }
  return all;
}

}  // namespace pipegraph
