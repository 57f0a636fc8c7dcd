// The stream on which a device adds up gradients, beside its computes. Other streams, of other
// devices too, can be made to wait for what it has been given.
#pragma once

#include <atomic>

#include "exec/cuda/handles.h"

namespace pipegraph {

class SumStream {
 public:
  /// On the calling thread's current GPU. Errors: CudaError.
  SumStream() : stream_(make_stream()), published_(make_event()) {}

  /// For giving it something to do. The device's thread.
  cudaStream_t use() {
    unpublished_ = true;
    return stream_.get();
  }
  /// Whoever waits from now on waits for all that it has been given so far. The device's thread.
  void publish() {
    if (!unpublished_) return;
    PIPEGRAPH_CUDA(cudaEventRecord(published_.get(), stream_.get()));
    unpublished_ = false;
    ever_published_ = true;
  }
  /// Any thread that has heard from the device's since it published.
  void make_wait(cudaStream_t other) const {
    if (ever_published_) PIPEGRAPH_CUDA(cudaStreamWaitEvent(other, published_.get(), 0));
  }

 private:
  CudaStream stream_;
  CudaEvent published_;
  bool unpublished_ = false;
  std::atomic<bool> ever_published_{false};
};

}  // namespace pipegraph
