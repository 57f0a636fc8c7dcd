// Owners of streams, events and memory. What cannot be given back is left: a destructor runs while
// an error is on its way, and that error is the one to be told.
#pragma once

#include <cstddef>
#include <utility>

#include "core/base/units.h"
#include "exec/cuda/cuda_error.h"

namespace pipegraph {

/// Owns a handle that `Traits::destroy` gives back.
template <class Traits>
class CudaHandle {
 public:
  using Handle = typename Traits::Handle;
  CudaHandle() = default;
  explicit CudaHandle(Handle handle) : handle_(handle) {}
  CudaHandle(CudaHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~CudaHandle() {
    if (handle_ != nullptr) Traits::destroy(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

struct StreamTraits {
  using Handle = cudaStream_t;
  static void destroy(Handle handle) { static_cast<void>(cudaStreamDestroy(handle)); }
};
struct EventTraits {
  using Handle = cudaEvent_t;
  static void destroy(Handle handle) { static_cast<void>(cudaEventDestroy(handle)); }
};
struct GpuMemoryTraits {
  using Handle = std::byte*;
  static void destroy(Handle handle) { static_cast<void>(cudaFree(handle)); }
};
struct PinnedMemoryTraits {
  using Handle = std::byte*;
  static void destroy(Handle handle) { static_cast<void>(cudaFreeHost(handle)); }
};
struct BlasTraits {
  using Handle = cublasHandle_t;
  static void destroy(Handle handle) { static_cast<void>(cublasDestroy(handle)); }
};

struct GraphTraits {
  using Handle = cudaGraph_t;
  static void destroy(Handle handle) { static_cast<void>(cudaGraphDestroy(handle)); }
};
struct GraphExecTraits {
  using Handle = cudaGraphExec_t;
  static void destroy(Handle handle) { static_cast<void>(cudaGraphExecDestroy(handle)); }
};

using CudaStream = CudaHandle<StreamTraits>;
using CudaEvent = CudaHandle<EventTraits>;
using GpuMemory = CudaHandle<GpuMemoryTraits>;
using PinnedMemory = CudaHandle<PinnedMemoryTraits>;
using CudaGraph = CudaHandle<GraphTraits>;
using CudaGraphExec = CudaHandle<GraphExecTraits>;
using BlasHandle = CudaHandle<BlasTraits>;

enum class EventTiming : std::uint8_t { Off, On };

/// All of the calling thread's current GPU. Errors: CudaError.
CudaStream make_stream();  ///< not ordered against the default stream
CudaEvent make_event(EventTiming timing = EventTiming::Off);
/// Until the stream has nothing left to do, or has failed; for destructors.
void wait_for_end(const CudaStream& stream) noexcept;
GpuMemory allocate_on_device(Bytes bytes);
PinnedMemory allocate_pinned(Bytes bytes);

}  // namespace pipegraph
