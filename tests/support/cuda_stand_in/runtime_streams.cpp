// CUDA runtime: streams, events, kernels.
#include <utility>

#include "exec/cuda/host_launch.h"
#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/captures.h"
#include "tests/support/cuda_stand_in/events.h"

namespace pipegraph::cuda_stand_in {

cudaError_t sticky_error(int device) {
  if (engine().failed(device)) return cudaErrorIllegalAddress;
  return engine().deadlocked() ? cudaErrorLaunchTimeout : cudaSuccess;
}

cudaError_t capture_error(const char* function, const Stream* stream) {
  const bool captures = stream != nullptr ? stream->captured() != nullptr : host_thread().capturing;
  if (!captures) return cudaSuccess;
  found(function, "not while streams are captured");
  return cudaErrorStreamCaptureUnsupported;
}

Stream* stream_of(const char* function, cudaStream_t handle) {
  auto* const stream = reinterpret_cast<Stream*>(handle);
  if (handle == nullptr) {
    found(function, "the default stream orders itself against all others: name a stream");
    return nullptr;
  }
  if (engine().exists(stream)) return stream;
  found(function, "no such stream");
  return nullptr;
}

namespace {

Event* event_of(const char* function, cudaEvent_t handle) {
  auto* const event = reinterpret_cast<Event*>(handle);
  if (events().exists(event)) return event;
  found(function, "no such event");
  return nullptr;
}

/// The event's latest record; null, with a finding, if it was never recorded.
std::shared_ptr<EventRecord> record_of(const char* function, cudaEvent_t handle) {
  const Event* const event = event_of(function, handle);
  if (event == nullptr) return nullptr;
  if (event->capture.lock()) {
    found(function, "the event was recorded by a capture, so nothing has happened yet");
    return nullptr;
  }
  if (!event->latest) found(function, "the event was never recorded, so nothing is waited for");
  return event->latest;
}

}  // namespace

cudaError_t launch(cudaStream_t handle, const std::string& label, std::function<void()> body) {
  return runtime_call("cudaLaunchKernel", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaLaunchKernel", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->device() != host_thread().device) {
      found("cudaLaunchKernel", label + " on a stream of another device");
      return cudaErrorInvalidResourceHandle;
    }
    if (const cudaError_t error = sticky_error(stream->device()); error != cudaSuccess)
      return error;
    Operation operation;
    operation.label = label;
    operation.kernel = std::move(body);
    operation.activity = Activity{ActivityKind::Kernel};
    engine().enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

}  // namespace pipegraph::cuda_stand_in

namespace pipegraph {

cudaError_t launch_on_host(cudaStream_t stream, const char* label, std::function<void()> body) {
  return cuda_stand_in::launch(stream, label, std::move(body));
}

}  // namespace pipegraph

using namespace pipegraph::cuda_stand_in;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return runtime_call("cudaStreamCreateWithFlags", [&](Engine::Lock& /*lock*/) {
    if ((flags & cudaStreamNonBlocking) == 0)
      found("cudaStreamCreateWithFlags", "a blocking stream is ordered against the default stream");
    *stream = reinterpret_cast<cudaStream_t>(engine().create(host_thread().device));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return runtime_call("cudaStreamDestroy", [&](Engine::Lock& lock) {
    Stream* const stream = stream_of("cudaStreamDestroy", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    // CUDA lets the work finish by itself; here the caller pays for it.
    engine().wait(lock, "the end of " + stream->name(), [&] { return stream->idle(); });
    engine().destroy(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return runtime_call("cudaStreamSynchronize", [&](Engine::Lock& lock) {
    Stream* const stream = stream_of("cudaStreamSynchronize", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = capture_error("cudaStreamSynchronize", stream)) return error;
    engine().wait(lock, stream->name(), [&] { return stream->idle(); });
    engine().acquire(*stream);
    return sticky_error(stream->device());
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return runtime_call("cudaStreamQuery", [&](Engine::Lock& lock) {
    Stream* const stream = stream_of("cudaStreamQuery", handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = capture_error("cudaStreamQuery", stream)) return error;
    if (const cudaError_t error = sticky_error(stream->device()); error != cudaSuccess)
      return error;
    if (stream->idle()) {
      engine().acquire(*stream);
      return cudaSuccess;
    }
    engine().step(lock);
    return cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned /*flags*/) {
  return runtime_call("cudaStreamWaitEvent", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaStreamWaitEvent", handle);
    const Event* const known = event_of("cudaStreamWaitEvent", event);
    if (stream == nullptr || known == nullptr) return cudaErrorInvalidResourceHandle;
    if (const auto capture = known->capture.lock()) {
      capture->wait(*stream, known->captured_record);
      return cudaSuccess;
    }
    const auto record = record_of("cudaStreamWaitEvent", event);
    if (!record) return cudaErrorInvalidResourceHandle;
    if (stream->captured() != nullptr) {
      found("cudaStreamWaitEvent", "a captured stream waits for what is not captured");
      return cudaErrorStreamCaptureIsolation;
    }
    Operation operation = wait_operation(record);
    engine().enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return runtime_call("cudaEventCreateWithFlags", [&](Engine::Lock& /*lock*/) {
    const bool timing = (flags & cudaEventDisableTiming) == 0;
    *event = reinterpret_cast<cudaEvent_t>(events().create(host_thread().device, timing));
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return runtime_call("cudaEventDestroy", [&](Engine::Lock& /*lock*/) {
    if (events().destroy(reinterpret_cast<Event*>(handle))) return cudaSuccess;
    found("cudaEventDestroy", "no such event");
    return cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  return runtime_call("cudaEventRecord", [&](Engine::Lock& /*lock*/) {
    Stream* const stream = stream_of("cudaEventRecord", stream_handle);
    Event* const event = event_of("cudaEventRecord", handle);
    if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->device != stream->device()) {
      found("cudaEventRecord", "the event belongs to another device than the stream");
      return cudaErrorInvalidResourceHandle;
    }
    if (const cudaError_t error = sticky_error(stream->device()); error != cudaSuccess)
      return error;
    if (const auto capture = capture_of(*stream)) {
      event->capture = capture;
      event->captured_record = capture->record(*stream);
      return cudaSuccess;
    }
    event->capture.reset();
    event->latest = std::make_shared<EventRecord>();
    Operation operation = record_operation(event->latest);
    engine().enqueue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return runtime_call("cudaEventQuery", [&](Engine::Lock& lock) {
    if (const cudaError_t error = capture_error("cudaEventQuery")) return error;
    const auto record = record_of("cudaEventQuery", handle);
    if (!record) return cudaErrorInvalidResourceHandle;
    const int device = reinterpret_cast<Event*>(handle)->device;
    if (const cudaError_t error = sticky_error(device); error != cudaSuccess) return error;
    if (record->done) {
      record->edge.acquire();
      return cudaSuccess;
    }
    engine().step(lock);
    return cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return runtime_call("cudaEventSynchronize", [&](Engine::Lock& lock) {
    if (const cudaError_t error = capture_error("cudaEventSynchronize")) return error;
    const auto record = record_of("cudaEventSynchronize", handle);
    if (!record) return cudaErrorInvalidResourceHandle;
    const int device = reinterpret_cast<Event*>(handle)->device;
    engine().wait(lock, "an event", [&] { return record->done || engine().failed(device); });
    record->edge.acquire();
    return sticky_error(device);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return runtime_call("cudaEventElapsedTime", [&](Engine::Lock& /*lock*/) {
    const auto first = record_of("cudaEventElapsedTime", from);
    const auto second = record_of("cudaEventElapsedTime", to);
    if (!first || !second) return cudaErrorInvalidResourceHandle;
    if (!reinterpret_cast<Event*>(from)->timing || !reinterpret_cast<Event*>(to)->timing)
      return cudaErrorInvalidResourceHandle;
    if (!first->done || !second->done) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(second->at - first->at).count();
    return cudaSuccess;
  });
}

}  // extern "C"
