#include "exec/state/lane_progress.h"

namespace pipegraph {

LaneProgress::LaneProgress(const Program& program)
    : program_(program), counts_(std::make_unique<Count[]>(program.lanes().size())) {}

void LaneProgress::restart() {
  before_this_step_.store(total(), std::memory_order_relaxed);
  for (std::size_t lane = 0; lane < program_.lanes().size(); ++lane) counts_[lane].value = 0;
}

std::uint64_t LaneProgress::total() const noexcept {
  std::uint64_t sum = before_this_step_.load(std::memory_order_relaxed);
  for (std::size_t lane = 0; lane < program_.lanes().size(); ++lane)
    sum += counts_[lane].value.load(std::memory_order_relaxed);
  return sum;
}

std::vector<char> LaneProgress::completed_instructions() const {
  std::vector<std::uint32_t> left(program_.lanes().size());
  for (std::size_t lane = 0; lane < left.size(); ++lane) left[lane] = count(make_id<LaneId>(lane));
  std::vector<char> completed(program_.size(), 0);
  for (std::size_t i = 0; i < completed.size(); ++i) {
    std::uint32_t& of_lane = left[program_.instructions()[i].lane.index()];
    if (of_lane == 0) continue;
    --of_lane;
    completed[i] = 1;
  }
  return completed;
}

}  // namespace pipegraph
