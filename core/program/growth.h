// A number that only grows as a device goes on, with the computes at which it grew: what the device
// knows of another at each moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pipegraph {

/// A number that grows, by compute.
class Growth {
 public:
  /// From compute `at` on (not before an earlier call's) at least `value`.
  void raise(std::int32_t at, std::int32_t value) {
    if (!steps_.empty() && value <= steps_.back().value) return;
    if (!steps_.empty() && steps_.back().at == at)
      steps_.back().value = value;
    else
      steps_.push_back({at, value});
  }
  /// The value known when `computes` computes have ended; 0 in the beginning.
  std::int32_t after(std::int32_t computes) const {
    if (steps_.empty()) return 0;
    if (steps_.back().at < computes) return steps_.back().value;
    const auto later = std::partition_point(steps_.begin(), steps_.end(),
                                            [&](const Step& step) { return step.at < computes; });
    return later == steps_.begin() ? 0 : std::prev(later)->value;
  }

 private:
  struct Step {
    std::int32_t at = 0;
    std::int32_t value = 0;
  };
  std::vector<Step> steps_;
};

}  // namespace pipegraph
