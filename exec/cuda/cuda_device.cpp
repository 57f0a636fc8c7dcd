#include "exec/cuda/cuda_device.h"

#include <limits>

namespace pipegraph {

namespace {

BlasHandle make_blas(cudaStream_t stream, std::byte* workspace, const CudaDeviceOptions& options) {
  cublasHandle_t handle = nullptr;
  PIPEGRAPH_CUBLAS(cublasCreate(&handle));
  BlasHandle blas(handle);
  PIPEGRAPH_CUBLAS(cublasSetStream(handle, stream));
  PIPEGRAPH_CUBLAS(cublasSetWorkspace(handle, workspace, options.workspace.count));
  const cublasMath_t mode = options.precision == ProductPrecision::Tf32 ? CUBLAS_TF32_TENSOR_OP_MATH
                                                                        : CUBLAS_DEFAULT_MATH;
  PIPEGRAPH_CUBLAS(cublasSetMathMode(handle, mode));
  return blas;
}

int narrow(std::int64_t value) {
  check(value >= 0 && value <= std::numeric_limits<int>::max(), "sizes of cuBLAS are 32 bits wide");
  return static_cast<int>(value);
}

cublasOperation_t operation(const Factor<float>& factor) {
  return factor.transpose == Transpose::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

std::size_t bytes_of(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

}  // namespace

CudaDevice::CudaDevice(const CudaDeviceOptions& options)
    : stream_(make_stream()),
      workspace_(options.workspace_memory != nullptr ? GpuMemory()
                                                     : allocate_on_device(options.workspace)),
      blas_(make_blas(
          stream_.get(),
          options.workspace_memory != nullptr ? options.workspace_memory : workspace_.get(),
          options)) {}

// cuBLAS is column-major: a row-major matrix is its transpose there, and c' = b' a'.

void CudaDevice::gemm(const Gemm<float>& g) {
  if (g.m == 0 || g.n == 0) return;
  PIPEGRAPH_CUBLAS(cublasSgemm(blas_.get(), operation(g.b), operation(g.a), narrow(g.n),
                               narrow(g.m), narrow(g.k), &g.alpha, g.b.data, narrow(g.b.stride),
                               g.a.data, narrow(g.a.stride), &g.beta, g.c, narrow(g.c_stride)));
}

void CudaDevice::gemm_strided_batched(const Gemm<float>& g, const BatchStrides& strides) {
  if (g.m == 0 || g.n == 0 || strides.count == 0) return;
  PIPEGRAPH_CUBLAS(cublasSgemmStridedBatched(
      blas_.get(), operation(g.b), operation(g.a), narrow(g.n), narrow(g.m), narrow(g.k), &g.alpha,
      g.b.data, narrow(g.b.stride), strides.b, g.a.data, narrow(g.a.stride), strides.a, &g.beta,
      g.c, narrow(g.c_stride), strides.c, narrow(strides.count)));
}

void CudaDevice::zero(float* into, std::int64_t count) {
  if (count > 0) PIPEGRAPH_CUDA(cudaMemsetAsync(into, 0, bytes_of(count), stream()));
}

void CudaDevice::copy(const float* from, float* into, std::int64_t count) {
  if (count > 0)
    PIPEGRAPH_CUDA(
        cudaMemcpyAsync(into, from, bytes_of(count), cudaMemcpyDeviceToDevice, stream()));
}

}  // namespace pipegraph
