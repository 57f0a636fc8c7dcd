#include "exec/cuda/handles.h"

namespace pipegraph {

CudaStream make_stream() {
  cudaStream_t stream = nullptr;
  PIPEGRAPH_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return CudaStream(stream);
}

CudaEvent make_event(EventTiming timing) {
  cudaEvent_t event = nullptr;
  const unsigned flags = timing == EventTiming::On ? cudaEventDefault : cudaEventDisableTiming;
  PIPEGRAPH_CUDA(cudaEventCreateWithFlags(&event, flags));
  return CudaEvent(event);
}

void wait_for_end(const CudaStream& stream) noexcept {
  if (stream.get() != nullptr) static_cast<void>(cudaStreamSynchronize(stream.get()));
}

GpuMemory allocate_on_device(Bytes bytes) {
  if (bytes.count == 0) return GpuMemory();
  void* memory = nullptr;
  PIPEGRAPH_CUDA(cudaMalloc(&memory, bytes.count));
  return GpuMemory(static_cast<std::byte*>(memory));
}

PinnedMemory allocate_pinned(Bytes bytes) {
  if (bytes.count == 0) return PinnedMemory();
  void* memory = nullptr;
  PIPEGRAPH_CUDA(cudaHostAlloc(&memory, bytes.count, cudaHostAllocPortable));
  return PinnedMemory(static_cast<std::byte*>(memory));
}

}  // namespace pipegraph
