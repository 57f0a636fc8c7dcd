#include "exec/cuda/enqueued_computes.h"

#include <algorithm>

namespace pipegraph {

void EnqueuedComputes::begin(InstructionId compute) {
  Taken& taken = taken_.emplace_back();
  taken.compute = compute;
  taken.enqueued = clock_.ready(compute);
  if (clock_.tracing() == Tracing::Off) return;
  if (origin_.get() == nullptr) {
    // The clock is read first, so that nothing seems to end later than it did.
    origin_at_ = taken.enqueued;
    origin_ = timed_.record(stream_);
  }
  taken.began = timed_.record(stream_);
}

void EnqueuedComputes::end() { taken_.back().ended = pool(taken_.back()).record(stream_); }

std::span<const Completion> EnqueuedComputes::poll() {
  completed_.clear();
  while (!taken_.empty() && PIPEGRAPH_CUDA_ENDED(cudaEventQuery(taken_.front().ended.get()))) {
    Taken& oldest = taken_.front();
    completed_.push_back(completion(oldest));
    pool(oldest).give_back(std::move(oldest.ended));
    timed_.give_back(std::move(oldest.began));
    taken_.pop_front();
  }
  return completed_;
}

Completion EnqueuedComputes::completion(const Taken& taken) {
  if (taken.began.get() == nullptr)
    return {taken.compute, taken.enqueued, clock_.end(taken.compute, taken.enqueued)};
  // By the origin a time may seem earlier than it was, by as long as a record takes to reach an
  // idle stream; but nothing begins before it is enqueued.
  const Seconds start = std::max(taken.enqueued, time_of(taken.began));
  return {taken.compute, start, std::max(start, time_of(taken.ended))};
}

Seconds EnqueuedComputes::time_of(const CudaEvent& event) const {
  float milliseconds = 0.0F;
  PIPEGRAPH_CUDA(cudaEventElapsedTime(&milliseconds, origin_.get(), event.get()));
  return origin_at_ + std::chrono::duration<double, std::milli>(milliseconds);
}

}  // namespace pipegraph
