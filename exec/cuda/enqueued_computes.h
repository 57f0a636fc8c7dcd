// The computes of a device that are on its stream, and when they began and ended. Untraced steps
// get one event without timing for each compute; traced ones a pair that the GPU stamps, which are
// placed on the device's clock by an origin that both saw.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "exec/clock.h"
#include "exec/cuda/event_pool.h"

namespace pipegraph {

class EnqueuedComputes {
 public:
  /// Both outlive this; of the calling thread's current GPU.
  EnqueuedComputes(cudaStream_t stream, Clock& clock) : stream_(stream), clock_(clock) {}

  /// The stream is idle. Errors: CudaError.
  void begin_step() { timed_.give_back(std::move(origin_)); }

  /// `enqueue()` puts the compute on the stream, behind those before it. Errors: CudaError, and
  /// those of `enqueue`.
  template <class Enqueue>
  void add(InstructionId compute, const Enqueue& enqueue) {
    begin(compute);
    enqueue();
    end();
  }

  /// Those that have ended since the last call, in order; valid until the next one. Errors:
  /// CudaError if the GPU has failed.
  std::span<const Completion> poll();

 private:
  struct Taken {
    InstructionId compute;
    Seconds enqueued{0};
    CudaEvent began, ended;  ///< the first of traced steps only
  };

  void begin(InstructionId compute);
  void end();
  EventPool& pool(const Taken& taken) { return taken.began.get() != nullptr ? timed_ : untimed_; }
  Completion completion(const Taken& taken);
  Seconds time_of(const CudaEvent& event) const;

  cudaStream_t stream_;
  Clock& clock_;
  EventPool untimed_, timed_{EventTiming::On};
  CudaEvent origin_;      ///< recorded on an idle stream, right after the clock showed
  Seconds origin_at_{0};  ///< this
  std::deque<Taken> taken_;
  std::vector<Completion> completed_;
};

}  // namespace pipegraph
