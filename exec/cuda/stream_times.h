// When work on a device's streams began and ended. Untraced steps get one event without timing for
// each piece of work; traced ones a pair that the GPU stamps, which are placed on the device's
// clock by an origin that both saw.
#pragma once

#include "exec/clock.h"
#include "exec/cuda/event_pool.h"
#include "exec/cuda/work_marks.h"

namespace pipegraph {

/// One piece of work.
struct EnqueuedWork {
  Seconds enqueued{0};
  CudaEvent began;  ///< of traced steps only
  CudaEvent ended;
};

/// Of one device and its thread.
class StreamTimes {
 public:
  /// Both outlive this. `marks`: told of work in traced steps; null: nobody is.
  explicit StreamTimes(Clock& clock, WorkMarks* marks = nullptr) : clock_(clock), marks_(marks) {}

  /// All streams are idle. Errors of this and what follows: CudaError.
  void begin_step() { timed_.give_back(std::move(origin_)); }
  /// Of traced steps, once: the host waits until `stream`, which is idle, has shown the time.
  void see_origin(cudaStream_t stream);
  /// Before and after the work is enqueued on `stream`, which is idle if no origin was seen yet; by
  /// the thread that enqueues it.
  EnqueuedWork begin(InstructionId id, cudaStream_t stream);
  void end(EnqueuedWork& work, cudaStream_t stream);

  static bool ended(const EnqueuedWork& work) {
    return PIPEGRAPH_CUDA_ENDED(cudaEventQuery(work.ended.get()));
  }
  static bool measured(const EnqueuedWork& work) { return work.began.get() != nullptr; }
  /// Of work that was measured and has ended.
  Seconds start_of(const EnqueuedWork& work) const;
  Seconds end_of(const EnqueuedWork& work) const;

  void give_back(EnqueuedWork work);

 private:
  Seconds time_of(const CudaEvent& event) const;

  bool marks_work(const EnqueuedWork& work) const { return marks_ != nullptr && measured(work); }

  Clock& clock_;
  WorkMarks* marks_;
  EventPool untimed_, timed_{EventTiming::On};
  CudaEvent origin_;      ///< recorded on an idle stream, right after the clock showed
  Seconds origin_at_{0};  ///< this
};

}  // namespace pipegraph
