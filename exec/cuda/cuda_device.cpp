#include "exec/cuda/cuda_device.h"

#include <limits>

namespace pipegraph {

namespace {

cublasMath_t math_mode(ProductPrecision precision) {
  switch (precision) {
    case ProductPrecision::Fp32:
      break;
    case ProductPrecision::Tf32:
      return CUBLAS_TF32_TENSOR_OP_MATH;
    case ProductPrecision::Bf16:  // partial sums stay fp32
      return CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  }
  return CUBLAS_DEFAULT_MATH;
}

BlasHandle make_blas(cudaStream_t stream, std::byte* workspace, const CudaDeviceOptions& options) {
  cublasHandle_t handle = nullptr;
  PIPEGRAPH_CUBLAS(cublasCreate(&handle));
  BlasHandle blas(handle);
  PIPEGRAPH_CUBLAS(cublasSetStream(handle, stream));
  PIPEGRAPH_CUBLAS(cublasSetWorkspace(handle, workspace, options.workspace.count));
  PIPEGRAPH_CUBLAS(cublasSetMathMode(handle, math_mode(options.precision)));
  return blas;
}

std::size_t bytes_of(std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

}  // namespace

ProductPrecision product_precision(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
      break;
    case Precision::Fp32Tensor:
    case Precision::Tf32:
      return ProductPrecision::Tf32;
    case Precision::Bf16:
      return ProductPrecision::Bf16;
    case Precision::Fp16:
      throw ConfigError({.key = "training.precision"}, "GPUs do not train in fp16 here",
                        "fp32, fp32_tensor, tf32 or bf16");
  }
  return ProductPrecision::Fp32;
}

int blas_size(std::int64_t value) {
  check(value >= 0 && value <= std::numeric_limits<int>::max(), "sizes of cuBLAS are 32 bits wide");
  return static_cast<int>(value);
}

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
  PIPEGRAPH_CUBLAS(cublasSgemm(blas_.get(), blas_operation(g.b), blas_operation(g.a),
                               blas_size(g.n), blas_size(g.m), blas_size(g.k), &g.alpha, g.b.data,
                               blas_size(g.b.stride), g.a.data, blas_size(g.a.stride), &g.beta, g.c,
                               blas_size(g.c_stride)));
}

void CudaDevice::gemm_strided_batched(const Gemm<float>& g, const BatchStrides& strides) {
  if (g.m == 0 || g.n == 0 || strides.count == 0) return;
  PIPEGRAPH_CUBLAS(cublasSgemmStridedBatched(
      blas_.get(), blas_operation(g.b), blas_operation(g.a), blas_size(g.n), blas_size(g.m),
      blas_size(g.k), &g.alpha, g.b.data, blas_size(g.b.stride), strides.b, g.a.data,
      blas_size(g.a.stride), strides.a, &g.beta, g.c, blas_size(g.c_stride), strides.c,
      blas_size(strides.count)));
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
