// The computes of a device that are on its stream, in order.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "exec/cuda/stream_times.h"

namespace pipegraph {

class EnqueuedComputes {
 public:
  /// All outlive this; of the calling thread's current GPU.
  EnqueuedComputes(cudaStream_t stream, Clock& clock, StreamTimes& times)
      : stream_(stream), clock_(clock), times_(times) {}

  /// `enqueue()` puts the compute on the stream, behind those before it. Errors: CudaError, and
  /// those of `enqueue`.
  template <class Enqueue>
  void add(InstructionId compute, const Enqueue& enqueue) {
    taken_.push_back({compute, times_.begin(compute, stream_)});
    enqueue();
    times_.end(taken_.back().work, stream_);
  }

  /// Those that have ended since the last call, in order; valid until the next one. Errors:
  /// CudaError if the GPU has failed.
  std::span<const Completion> poll();

 private:
  struct Taken {
    InstructionId compute;
    EnqueuedWork work;
  };
  Completion completion(const Taken& taken);

  cudaStream_t stream_;
  Clock& clock_;
  StreamTimes& times_;
  std::deque<Taken> taken_;
  std::vector<Completion> completed_;
};

}  // namespace pipegraph
