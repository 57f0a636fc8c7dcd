// What every API function does before and after acting: it is unseen by the sanitizer, may fail on
// request, and remembers its error for cudaGetLastError.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "tests/support/cuda_stand_in/engine.h"

namespace pipegraph::cuda_stand_in {

/// The code that a test asked this call to fail with; nothing otherwise. With the lock held.
std::optional<int> take_call_fault(const char* function);

/// The thread's current device and its last error.
struct HostThread {
  int device = 0;
  bool capturing = false;
  cudaError_t last = cudaSuccess;
};
HostThread& host_thread();

/// Adds a finding that names the function; with the lock held.
void found(const char* function, const std::string& what);

/// A CUDA runtime function: `act(lock)` returns its result.
template <class Act>
cudaError_t runtime_call(const char* function, Act act) {
  const Unseen unseen;
  Engine::Lock lock = engine().lock();
  const std::optional<int> fault = take_call_fault(function);
  const cudaError_t result = fault ? static_cast<cudaError_t>(*fault) : act(lock);
  if (result != cudaSuccess && result != cudaErrorNotReady) host_thread().last = result;
  return result;
}

/// The error of a device on which an operation has failed, which stays.
cudaError_t sticky_error(int device);

/// cudaErrorStreamCaptureUnsupported, with a finding, if this thread captures or the stream is
/// captured: the call waits for, or changes, what is not done yet.
cudaError_t capture_error(const char* function, const Stream* stream = nullptr);

/// The stream behind a handle; null, with a finding, for the default stream or a destroyed one.
Stream* stream_of(const char* function, cudaStream_t handle);

}  // namespace pipegraph::cuda_stand_in
