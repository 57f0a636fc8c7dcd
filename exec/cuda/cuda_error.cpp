#include "exec/cuda/cuda_error.h"

#include <fmt/format.h>

namespace pipegraph {

namespace {

/// "on GPU 1", or nothing where even that cannot be told.
std::string on_device() {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) return "";
  return fmt::format(" on GPU {}", device);
}

std::string sentence(const char* call, const std::string& problem, const std::source_location& at) {
  return fmt::format("{} failed{}: {} ({}:{})", call, on_device(), problem, at.file_name(),
                     at.line());
}

}  // namespace

void check_cuda(cudaError_t result, const char* call, const std::source_location& at) {
  if (result == cudaSuccess) [[likely]]
    return;
  const auto problem = fmt::format("{}, {}", cudaGetErrorName(result), cudaGetErrorString(result));
  throw CudaError(sentence(call, problem, at), result);
}

bool has_ended(cudaError_t result, const char* call, const std::source_location& at) {
  if (result == cudaErrorNotReady) return false;
  check_cuda(result, call, at);
  return true;
}

void check_cublas(cublasStatus_t result, const char* call, const std::source_location& at) {
  if (result == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  throw MachineError(sentence(call, cublasGetStatusString(result), at));
}

void check_nccl(ncclResult_t result, const char* call, const std::source_location& at) {
  if (result == ncclSuccess || result == ncclInProgress) [[likely]]
    return;
  const auto problem = fmt::format("{}; {}", ncclGetErrorString(result), ncclGetLastError(nullptr));
  throw NcclError(sentence(call, problem, at), result);
}

void check_nccl_state(ncclResult_t state, ncclComm_t comm, const std::string& what) {
  if (state == ncclSuccess) [[likely]]
    return;
  throw NcclError(fmt::format("the communicator {} failed{}: {}; {}", what, on_device(),
                              ncclGetErrorString(state), ncclGetLastError(comm)),
                  state);
}

}  // namespace pipegraph
