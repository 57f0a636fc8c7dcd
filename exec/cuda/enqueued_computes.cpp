#include "exec/cuda/enqueued_computes.h"

namespace pipegraph {

std::span<const Completion> EnqueuedComputes::poll() {
  completed_.clear();
  while (!taken_.empty() && StreamTimes::ended(taken_.front().work)) {
    completed_.push_back(completion(taken_.front()));
    times_.give_back(std::move(taken_.front().work));
    taken_.pop_front();
  }
  return completed_;
}

Completion EnqueuedComputes::completion(const Taken& taken) {
  const auto& [compute, work] = taken;
  if (StreamTimes::measured(work)) return {compute, times_.start_of(work), times_.end_of(work)};
  return {compute, work.enqueued, clock_.end(compute, work.enqueued)};
}

}  // namespace pipegraph
