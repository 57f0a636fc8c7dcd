#include "exec/cuda/stream_times.h"

#include <algorithm>

namespace pipegraph {

void StreamTimes::see_origin(cudaStream_t stream) {
  if (clock_.tracing() == Tracing::Off || origin_.get() != nullptr) return;
  // The clock is read first, so that nothing seems to end later than it did.
  origin_at_ = clock_.ready({});
  origin_ = timed_.record(stream);
  // Work of other streams may end before this one gets to it.
  PIPEGRAPH_CUDA(cudaEventSynchronize(origin_.get()));
}

EnqueuedWork StreamTimes::begin(InstructionId id, cudaStream_t stream) {
  see_origin(stream);
  EnqueuedWork work;
  work.enqueued = clock_.ready(id);
  if (clock_.tracing() == Tracing::On) work.began = timed_.record(stream);
  if (marks_work(work)) marks_->begin(id, work.enqueued);
  return work;
}

void StreamTimes::end(EnqueuedWork& work, cudaStream_t stream) {
  if (marks_work(work)) marks_->end();
  work.ended = (measured(work) ? timed_ : untimed_).record(stream);
}

// By the origin a time may seem earlier than it was, by as long as a record takes to reach an idle
// stream; but nothing begins before it is enqueued.
Seconds StreamTimes::start_of(const EnqueuedWork& work) const {
  return std::max(work.enqueued, time_of(work.began));
}

Seconds StreamTimes::end_of(const EnqueuedWork& work) const {
  return std::max(start_of(work), time_of(work.ended));
}

Seconds StreamTimes::time_of(const CudaEvent& event) const {
  float milliseconds = 0.0F;
  PIPEGRAPH_CUDA(cudaEventElapsedTime(&milliseconds, origin_.get(), event.get()));
  return origin_at_ + std::chrono::duration<double, std::milli>(milliseconds);
}

void StreamTimes::give_back(EnqueuedWork work) {
  (measured(work) ? timed_ : untimed_).give_back(std::move(work.ended));
  timed_.give_back(std::move(work.began));
}

}  // namespace pipegraph
