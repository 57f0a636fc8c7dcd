#include "tests/support/cuda_stand_in/activities.h"

#include <utility>

#include "tests/support/cuda_stand_in/engine.h"

namespace pipegraph::cuda_stand_in {

Activities& activities() {
  static Activities& k_activities = *new Activities;
  return k_activities;
}

std::vector<std::uint64_t>& Activities::marks() {
  thread_local std::vector<std::uint64_t> k_marks;
  return k_marks;
}

std::uint64_t Activities::time_ns(std::chrono::steady_clock::time_point at) {
  constexpr std::uint64_t k_since = 1'700'000'000'000'000'000;
  const std::chrono::nanoseconds since = at.time_since_epoch();
  return k_since + static_cast<std::uint64_t>(since.count());
}

void Activities::enqueued(Activity& activity) {
  activity.call = ++calls_;
  if (enabled_.contains(ActivityKind::Mark) && !marks().empty())
    add({.activity = {ActivityKind::Mark, activity.call}, .mark = marks().back()});
}

void Activities::ended(const Activity& activity, std::chrono::steady_clock::time_point begun) {
  if (enabled_.contains(activity.kind))
    add({.activity = activity,
         .begin_ns = time_ns(begun),
         .end_ns = time_ns(std::chrono::steady_clock::now())});
}

void Activities::add(const ActivityRecord& record) {
  const std::size_t most = engine().settings().activity_records;
  if (most > 0 && records_.size() >= most)
    ++dropped_;
  else
    records_.push_back(record);
}

std::vector<ActivityRecord> Activities::take() { return std::exchange(records_, {}); }

std::size_t Activities::take_dropped() { return std::exchange(dropped_, 0); }

void Activities::reset() { *this = {}; }

}  // namespace pipegraph::cuda_stand_in
