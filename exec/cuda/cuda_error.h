// Failed calls of CUDA, cuBLAS and NCCL as exceptions that name the call, its place, the device and
// what the library says. Every call of the backend goes through one of the macros below.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <source_location>
#include <string>

#include "core/base/errors.h"

namespace pipegraph {

class CudaError : public MachineError {
 public:
  CudaError(const std::string& text, cudaError_t error) : MachineError(text), code_(error) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

class NcclError : public MachineError {
 public:
  NcclError(const std::string& text, ncclResult_t error) : MachineError(text), code_(error) {}
  ncclResult_t code() const { return code_; }

 private:
  ncclResult_t code_;
};

/// Whether what the call asks for has ended. Throws if it failed.
bool has_ended(cudaError_t result, const char* call,
               const std::source_location& at = std::source_location::current());
/// Throws unless the call succeeded. `call` is its text.
void check_cuda(cudaError_t result, const char* call,
                const std::source_location& at = std::source_location::current());
void check_cublas(cublasStatus_t result, const char* call,
                  const std::source_location& at = std::source_location::current());
/// "in progress" counts as success: non-blocking communicators are polled.
void check_nccl(ncclResult_t result, const char* call,
                const std::source_location& at = std::source_location::current());
/// Throws unless a communicator, named `what`, is well: something asked of it earlier has failed.
void check_nccl_state(ncclResult_t state, ncclComm_t comm, const std::string& what);

}  // namespace pipegraph

#define PIPEGRAPH_CUDA(call) ::pipegraph::check_cuda((call), #call)
#define PIPEGRAPH_CUDA_ENDED(call) ::pipegraph::has_ended((call), #call)
#define PIPEGRAPH_CUBLAS(call) ::pipegraph::check_cublas((call), #call)
#define PIPEGRAPH_NCCL(call) ::pipegraph::check_nccl((call), #call)
