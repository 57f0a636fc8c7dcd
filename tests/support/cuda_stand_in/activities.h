// What a profiler may see: which operations ran when, and which host call asked for them. Here are
// the records; the functions of CUPTI that hand them out are in cupti.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace pipegraph::cuda_stand_in {

/// `Mark`: that a call was made under a mark of its thread.
enum class ActivityKind : std::uint8_t { Kernel, Copy, PeerCopy, Fill, Mark };

struct Activity {
  ActivityKind kind = ActivityKind::Kernel;
  std::uint32_t call = 0;  ///< which host call it was
};

struct ActivityRecord {
  Activity activity;
  std::uint64_t mark = 0;                  ///< of a Mark
  std::uint64_t begin_ns = 0, end_ns = 0;  ///< by the profiler's clock; of others
};

/// Members are called with the engine's lock held.
class Activities {
 public:
  void enable(ActivityKind kind) { enabled_.insert(kind); }
  void disable(ActivityKind kind) { enabled_.erase(kind); }
  /// Calls are numbered, and carry the calling thread's innermost mark.
  void enqueued(Activity& activity);
  void ended(const Activity& activity, std::chrono::steady_clock::time_point begun);

  std::size_t waiting() const { return records_.size(); }
  std::vector<ActivityRecord> take();
  void drop(std::size_t records) { dropped_ += records; }
  std::size_t take_dropped();
  void reset();

  /// Of the calling thread.
  static std::vector<std::uint64_t>& marks();
  /// Far from the host's clock, as CUPTI's is.
  static std::uint64_t time_ns(std::chrono::steady_clock::time_point at);

 private:
  void add(const ActivityRecord& record);

  std::set<ActivityKind> enabled_;
  std::uint32_t calls_ = 0;
  std::vector<ActivityRecord> records_;
  std::size_t dropped_ = 0;
};

Activities& activities();

}  // namespace pipegraph::cuda_stand_in
