// CUDA runtime: device memory and copies.
#include <cstring>

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/memory.h"

using namespace pipegraph::cuda_stand_in;

namespace {

std::string side_problem(const void* pointer, std::size_t bytes, int device, bool on_device) {
  if (on_device) return memory().problem(pointer, bytes, device);
  if (is_device_pointer(pointer)) return "device memory where host memory is meant";
  const auto block = memory().find(pointer);
  if (!block || block->kind != MemoryKind::Pinned)
    return "pageable host memory, which makes the copy wait for the host";
  return {};
}

int device_of(const void* pointer) {
  const auto block = memory().find(pointer);
  return block ? block->device : -1;
}

/// A copy as an operation; the caller has checked both sides.
Operation copy_operation(void* to, const void* from, std::size_t bytes) {
  Operation operation;
  operation.activity =
      Activity{device_of(to) >= 0 && device_of(from) >= 0 && device_of(to) != device_of(from)
                   ? ActivityKind::PeerCopy
                   : ActivityKind::Copy};
  operation.label = "copy of " + std::to_string(bytes) + " bytes";
  operation.body = [to, from, bytes] {
    declare_read(host_view(from), bytes);
    declare_write(host_view(to), bytes);
    const Unseen unseen;
    std::memmove(host_view(to), host_view(from), bytes);
    return true;
  };
  return operation;
}

cudaError_t enqueue_copy(const char* function, Operation operation, cudaStream_t handle) {
  Stream* const stream = stream_of(function, handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = sticky_error(stream->device()); error != cudaSuccess) return error;
  engine().enqueue(*stream, std::move(operation));
  return cudaSuccess;
}

/// Of a copy whose sides are told by their addresses: device memory may be another device's, but a
/// graph copies without help of the host.
std::string address_problem(const void* pointer, std::size_t bytes, const Stream& stream) {
  if (!is_device_pointer(pointer)) return side_problem(pointer, bytes, stream.device(), false);
  const int owner = device_of(pointer);
  if (stream.captured() != nullptr && !memory().has_access(stream.device(), owner))
    return "a buffer of device " + std::to_string(owner) + ", which this one has no access to";
  return memory().problem(pointer, bytes, owner);
}

cudaError_t wait_for_device(Engine::Lock& lock, int device) {
  const auto all_idle = [device] {
    for (const auto& [key, stream] : engine().streams())
      if (stream->device() == device && !stream->idle()) return false;
    return true;
  };
  engine().wait(lock, "all streams of device " + std::to_string(device), all_idle);
  engine().acquire(device);
  return sticky_error(device);
}

/// Gives memory back where the sanitizer sees it: a later access is an error it knows.
cudaError_t release(const char* function, void* pointer) {
  const Engine::Lock lock = engine().lock();
  if (memory().free(pointer)) return cudaSuccess;
  found(function, "nothing is allocated there");
  return cudaErrorInvalidValue;
}

/// Both kinds of memory are given back when the device has finished.
cudaError_t free_after_device(const char* function, void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const cudaError_t error = runtime_call(function, [&](Engine::Lock& lock) {
    if (const cudaError_t refused = capture_error(function)) return refused;
    const int device = device_of(pointer);
    return device < 0 ? cudaSuccess : wait_for_device(lock, device);
  });
  const cudaError_t released = release(function, pointer);
  return error != cudaSuccess ? error : released;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return runtime_call("cudaMalloc", [&](Engine::Lock& /*lock*/) {
    if (const cudaError_t error = capture_error("cudaMalloc")) return error;
    *pointer = memory().allocate(bytes, host_thread().device, MemoryKind::Device);
    return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFree(void* pointer) { return free_after_device("cudaFree", pointer); }

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned /*flags*/) {
  return runtime_call("cudaHostAlloc", [&](Engine::Lock& /*lock*/) {
    if (const cudaError_t error = capture_error("cudaHostAlloc")) return error;
    *pointer = memory().allocate(bytes, host_thread().device, MemoryKind::Pinned);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaFreeHost(void* pointer) { return free_after_device("cudaFreeHost", pointer); }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return runtime_call("cudaMemGetInfo", [&](Engine::Lock& /*lock*/) {
    *total = engine().settings().memory_bytes;
    *free = *total - memory().in_use(host_thread().device);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  return runtime_call("cudaMemcpyAsync", [&](Engine::Lock& /*lock*/) {
    const Stream* const stream = stream_of("cudaMemcpyAsync", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (kind == cudaMemcpyDefault) {
      std::string problem = address_problem(to, bytes, *stream);
      if (problem.empty()) problem = address_problem(from, bytes, *stream);
      if (!problem.empty()) {
        found("cudaMemcpyAsync", problem);
        return cudaErrorInvalidValue;
      }
      return enqueue_copy("cudaMemcpyAsync", copy_operation(to, from, bytes), handle);
    }
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    std::string problem = side_problem(to, bytes, stream->device(), to_device);
    if (problem.empty()) problem = side_problem(from, bytes, stream->device(), from_device);
    if (!problem.empty()) {
      found("cudaMemcpyAsync", problem);
      return cudaErrorInvalidValue;
    }
    return enqueue_copy("cudaMemcpyAsync", copy_operation(to, from, bytes), handle);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t handle) {
  return runtime_call("cudaMemcpyPeerAsync", [&](Engine::Lock& /*lock*/) {
    const Stream* const stream = stream_of("cudaMemcpyPeerAsync", handle);
    if (const cudaError_t error = capture_error("cudaMemcpyPeerAsync", stream)) return error;
    std::string problem = memory().problem(to, bytes, to_device);
    if (problem.empty()) problem = memory().problem(from, bytes, from_device);
    if (!problem.empty()) {
      found("cudaMemcpyPeerAsync", problem);
      return cudaErrorInvalidValue;
    }
    return enqueue_copy("cudaMemcpyPeerAsync", copy_operation(to, from, bytes), handle);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  return runtime_call("cudaMemsetAsync", [&](Engine::Lock& /*lock*/) {
    const Stream* const stream = stream_of("cudaMemsetAsync", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const std::string problem = memory().problem(to, bytes, stream->device());
        !problem.empty()) {
      found("cudaMemsetAsync", problem);
      return cudaErrorInvalidValue;
    }
    Operation operation;
    operation.label = "fill of " + std::to_string(bytes) + " bytes";
    operation.activity = Activity{ActivityKind::Fill};
    operation.body = [to, value, bytes] {
      declare_write(host_view(to), bytes);
      const Unseen unseen;
      if (bytes > 0) std::memset(host_view(to), value, bytes);
      return true;
    };
    return enqueue_copy("cudaMemsetAsync", std::move(operation), handle);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return runtime_call("cudaDeviceSynchronize", [&](Engine::Lock& lock) {
    return wait_for_device(lock, host_thread().device);
  });
}

}  // extern "C"
