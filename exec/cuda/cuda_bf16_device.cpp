#include "exec/cuda/cuda_bf16_device.h"

namespace pipegraph {

namespace {

using kernels::BFloat16;

std::size_t bytes_of(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(BFloat16);
}

template <class Result>
constexpr cudaDataType k_type = std::is_same_v<Result, float> ? CUDA_R_32F : CUDA_R_16BF;

/// c' = b' a', as cuBLAS is column-major.
template <class Result>
void multiply(cublasHandle_t blas, const Gemm<BFloat16, Result>& g) {
  if (g.m == 0 || g.n == 0) return;
  PIPEGRAPH_CUBLAS(cublasGemmEx(blas, blas_operation(g.b), blas_operation(g.a), blas_size(g.n),
                                blas_size(g.m), blas_size(g.k), &g.alpha, g.b.data, CUDA_R_16BF,
                                blas_size(g.b.stride), g.a.data, CUDA_R_16BF, blas_size(g.a.stride),
                                &g.beta, g.c, k_type<Result>, blas_size(g.c_stride),
                                CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

}  // namespace

void CudaBf16Device::gemm(const Gemm<Scalar>& gemm) { multiply(gpu_.blas(), gemm); }
void CudaBf16Device::gemm(const Gemm<Scalar, float>& gemm) { multiply(gpu_.blas(), gemm); }

void CudaBf16Device::gemm_strided_batched(const Gemm<Scalar>& g, const BatchStrides& strides) {
  if (g.m == 0 || g.n == 0 || strides.count == 0) return;
  PIPEGRAPH_CUBLAS(cublasGemmStridedBatchedEx(
      gpu_.blas(), blas_operation(g.b), blas_operation(g.a), blas_size(g.n), blas_size(g.m),
      blas_size(g.k), &g.alpha, g.b.data, CUDA_R_16BF, blas_size(g.b.stride), strides.b, g.a.data,
      CUDA_R_16BF, blas_size(g.a.stride), strides.a, &g.beta, g.c, CUDA_R_16BF,
      blas_size(g.c_stride), strides.c, blas_size(strides.count), CUBLAS_COMPUTE_32F,
      CUBLAS_GEMM_DEFAULT));
}

void CudaBf16Device::zero(Scalar* into, std::int64_t count) {
  if (count > 0) PIPEGRAPH_CUDA(cudaMemsetAsync(into, 0, bytes_of(count), gpu_.stream()));
}

void CudaBf16Device::copy(const Scalar* from, Scalar* into, std::int64_t count) {
  if (count > 0)
    PIPEGRAPH_CUDA(
        cudaMemcpyAsync(into, from, bytes_of(count), cudaMemcpyDeviceToDevice, gpu_.stream()));
}

}  // namespace pipegraph
