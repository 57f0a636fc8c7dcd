// How far each device has come, for everyone to see.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/program/program.h"

namespace pipegraph {

/// Completed instructions of each lane in this step, which say exactly what has completed since
/// lanes keep order. Each device's thread counts its own lanes; a transport between processes
/// stores what it hears of the others.
class LaneProgress {
 public:
  explicit LaneProgress(const Program& program);

  void restart();  ///< before a step; no device may be running
  /// By the thread of the lane's device only.
  void completed(LaneId lane) noexcept { set(lane, count(lane) + 1); }
  std::uint32_t count(LaneId lane) const noexcept {
    return counts_[lane.index()].value.load(std::memory_order_relaxed);
  }
  void set(LaneId lane, std::uint32_t count) noexcept {
    counts_[lane.index()].value.store(count, std::memory_order_relaxed);
  }
  /// Grows with each completion anywhere, also from step to step.
  std::uint64_t total() const noexcept;
  /// By instruction id.
  std::vector<char> completed_instructions() const;

 private:
  struct alignas(64) Count {
    std::atomic<std::uint32_t> value{0};
  };
  const Program& program_;
  std::unique_ptr<Count[]> counts_;  ///< by lane
  std::atomic<std::uint64_t> before_this_step_{0};
};

}  // namespace pipegraph
