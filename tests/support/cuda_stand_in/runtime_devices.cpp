// CUDA runtime: devices, versions, errors.
#include <cstdio>
#include <cstring>

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/memory.h"

using namespace pipegraph::cuda_stand_in;

namespace {

constexpr int k_runtime_version = 13000;
constexpr int k_clock_khz = 1'000'000;

cudaError_t check_device(int device) {
  return device >= 0 && device < engine().settings().devices ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return runtime_call("cudaGetDeviceCount", [&](Engine::Lock& /*lock*/) {
    const Settings& settings = engine().settings();
    if (settings.driver_version == 0 || settings.driver_version < k_runtime_version)
      return cudaErrorInsufficientDriver;
    if (settings.devices == 0) return cudaErrorNoDevice;
    *count = settings.devices;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return runtime_call("cudaSetDevice", [&](Engine::Lock& /*lock*/) {
    const cudaError_t error = check_device(device);
    if (error == cudaSuccess) host_thread().device = device;
    return error;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return runtime_call("cudaGetDevice", [&](Engine::Lock& /*lock*/) {
    *device = host_thread().device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call("cudaGetDeviceProperties", [&](Engine::Lock& /*lock*/) {
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "stand-in %d", device);
    properties->totalGlobalMem = engine().settings().memory_bytes;
    properties->major = 9;
    properties->minor = 0;
    properties->multiProcessorCount = 1;
    properties->pciBusID = device + 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return runtime_call("cudaDeviceGetPCIBusId", [&](Engine::Lock& /*lock*/) {
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return runtime_call("cudaDeviceGetAttribute", [&](Engine::Lock& /*lock*/) {
    const bool clock = attribute == cudaDevAttrClockRate || attribute == cudaDevAttrMemoryClockRate;
    *value = clock ? k_clock_khz : attribute == cudaDevAttrMultiProcessorCount ? 1 : 0;
    return check_device(device);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call("cudaDeviceCanAccessPeer", [&](Engine::Lock& /*lock*/) {
    *can = device != peer && engine().settings().peer_access ? 1 : 0;
    return check_device(device) == cudaSuccess ? check_device(peer) : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  return runtime_call("cudaDeviceEnablePeerAccess", [&](Engine::Lock& /*lock*/) {
    if (const cudaError_t error = check_device(peer); error != cudaSuccess) return error;
    if (!engine().settings().peer_access) return cudaErrorPeerAccessUnsupported;
    if (memory().has_access(host_thread().device, peer)) return cudaErrorPeerAccessAlreadyEnabled;
    memory().give_access(host_thread().device, peer);
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return runtime_call("cudaDriverGetVersion", [&](Engine::Lock& /*lock*/) {
    *version = engine().settings().driver_version;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return runtime_call("cudaRuntimeGetVersion", [&](Engine::Lock& /*lock*/) {
    *version = k_runtime_version;
    return cudaSuccess;
  });
}

cudaError_t cudaGetLastError() {
  const cudaError_t last = host_thread().last;
  host_thread().last = cudaSuccess;
  return last;
}

cudaError_t cudaPeekAtLastError() { return host_thread().last; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle:
      return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorLaunchTimeout:
      return "cudaErrorLaunchTimeout";
    default:
      return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "the driver is older than the runtime";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return cudaGetErrorName(error);
  }
}

}  // extern "C"
