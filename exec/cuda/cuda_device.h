// A GPU as a device of operators: calls enqueue on one stream and return. Matrix products come from
// cuBLAS, everything else from the kernel bodies that CPUs run too.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/precision.h"
#include "exec/cuda/handles.h"
#include "exec/cuda/launcher.h"
#include "exec/kernels/join.h"
#include "exec/operators/operator.h"
#include "exec/training/optimizer_step.h"

namespace pipegraph {

/// What the factors of matrix products are rounded to; sums are fp32 always. Bf16: of data that has
/// 16 bits (cuda_bf16_device.h).
enum class ProductPrecision : std::uint8_t { Fp32, Tf32, Bf16 };

inline constexpr std::array k_precisions_of_gpus{Precision::Fp32, Precision::Fp32Tensor,
                                                 Precision::Tf32, Precision::Bf16};

/// fp32_tensor and tf32 are both TF32 here: tensor cores take no more of fp32. Errors: ConfigError
/// for fp16.
ProductPrecision product_precision(Precision precision);

/// For cuBLAS, whose sizes have 32 bits. Errors: InternalError if it has more.
int blas_size(std::int64_t value);
template <class T>
cublasOperation_t blas_operation(const Factor<T>& factor) {
  return factor.transpose == Transpose::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/// into += from
struct FloatSum {
  const float* from = nullptr;
  float* into = nullptr;
  std::int64_t count = 0;
};
void add_floats(cudaStream_t stream, const FloatSum& sum);

struct CudaDeviceOptions {
  ProductPrecision precision = ProductPrecision::Fp32;
  /// Of cuBLAS; 32 MiB is what it recommends for its newest GPUs.
  Bytes workspace{std::size_t{32} << 20};
  /// Where it lies; null: in memory of its own.
  std::byte* workspace_memory = nullptr;
};

class CudaDevice {
 public:
  using Scalar = float;
  static constexpr std::int64_t k_table_pieces = 128;

  /// On the calling thread's current GPU. Errors: CudaError, MachineError of cuBLAS.
  explicit CudaDevice(const CudaDeviceOptions& options = {});

  cudaStream_t stream() const { return stream_.get(); }
  cublasHandle_t blas() const { return blas_.get(); }

  void gemm(const Gemm<float>& gemm);
  void gemm_strided_batched(const Gemm<float>& gemm, const BatchStrides& strides);
  template <class Body>
  void elements(std::int64_t count, const Body& body) {
    if (count > 0) launch_elements(stream(), count, body);
  }
  template <class Body>
  void rows(std::int64_t count, const Body& body) {
    if (count > 0) launch_rows(stream(), count, body);
  }
  void zero(float* into, std::int64_t count);
  void copy(const float* from, float* into, std::int64_t count);
  void add(const float* from, float* into, std::int64_t count) {
    add_floats(stream(), {from, into, count});
  }

 private:
  CudaStream stream_;
  GpuMemory workspace_;  ///< cuBLAS's own is shared between streams
  BlasHandle blas_;
};

/// optimizer_step on a GPU.
void cuda_optimizer_step(CudaDevice& device, Optimizer optimizer, const StepOrder& order,
                         const OptimizedTensors<float>& tensors);

extern template void forward(CudaDevice&, const OperatorShape&, const OperatorData<float>&);
extern template void backward_input(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                                    const OperatorGradients<float>&);
extern template void backward_weight(CudaDevice&, const OperatorShape&, const OperatorData<float>&,
                                     const OperatorGradients<float>&);

}  // namespace pipegraph
