// Events that are used again and again. Of one GPU and one thread.
#pragma once

#include <utility>
#include <vector>

#include "exec/cuda/handles.h"

namespace pipegraph {

class EventPool {
 public:
  explicit EventPool(EventTiming timing = EventTiming::Off) : timing_(timing) {}

  /// An event that stands for all that `stream` has been given so far. Errors: CudaError.
  CudaEvent record(cudaStream_t stream) {
    CudaEvent event = free_.empty() ? make_event(timing_) : std::move(free_.back());
    if (!free_.empty()) free_.pop_back();
    PIPEGRAPH_CUDA(cudaEventRecord(event.get(), stream));
    return event;
  }
  void give_back(CudaEvent event) {
    if (event.get() != nullptr) free_.push_back(std::move(event));
  }

 private:
  EventTiming timing_;
  std::vector<CudaEvent> free_;
};

}  // namespace pipegraph
