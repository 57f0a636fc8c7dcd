// cuBLAS: matrix products as operations of a stream, column-major, products added up in float.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tests/support/cuda_stand_in/call.h"
#include "tests/support/cuda_stand_in/memory.h"

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  bool workspace = false;
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
};

using namespace pipegraph::cuda_stand_in;

namespace {

/// The nearest number with 10 bits of mantissa, which tensor cores take of an fp32 factor.
float rounded_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  constexpr std::uint32_t k_lost = (1U << 13) - 1;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + (1U << 12)) & ~k_lost);
}

/// One operand: column-major with a leading dimension, perhaps to be transposed, perhaps many.
struct Operand {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  bool transposed = false;
  int leading = 0;
  long long stride = 0;
  bool tf32 = false;  ///< a factor that loses what TF32 does not hold

  std::size_t element_bytes() const { return type == CUDA_R_32F ? 4 : 2; }
  float at(int batch, int row, int column) const {
    const long long place = transposed ? column + static_cast<long long>(row) * leading
                                       : row + static_cast<long long>(column) * leading;
    const long long index = batch * stride + place;
    if (type == CUDA_R_32F) {
      const float value = host_view(static_cast<const float*>(data))[index];
      return tf32 ? rounded_to_tf32(value) : value;
    }
    return __bfloat162float(host_view(static_cast<const __nv_bfloat16*>(data))[index]);
  }
  /// Bytes from the first to the last element of `rows` x `columns` (after transposition).
  std::size_t extent(int batches, int rows, int columns) const {
    if (rows == 0 || columns == 0 || batches == 0) return 0;
    const long long across = transposed ? rows : columns;
    const long long down = transposed ? columns : rows;
    const long long last = (batches - 1) * stride + (across - 1) * leading + down;
    return static_cast<std::size_t>(last) * element_bytes();
  }
};

struct Product {
  int m = 0, n = 0, k = 0, batches = 1;
  float alpha = 1, beta = 0;
  Operand a, b, c;
};

void store(const Operand& c, long long index, float value) {
  void* const data = const_cast<void*>(c.data);
  if (c.type == CUDA_R_32F)
    host_view(static_cast<float*>(data))[index] = value;
  else
    host_view(static_cast<__nv_bfloat16*>(data))[index] = __float2bfloat16(value);
}

void multiply_column(const Product& p, int batch, int column) {
  std::vector<float> sums(static_cast<std::size_t>(p.m));
  for (int i = 0; i < p.k; ++i) {
    const float factor = p.b.at(batch, i, column);
    for (int row = 0; row < p.m; ++row)
      sums[static_cast<std::size_t>(row)] += p.a.at(batch, row, i) * factor;
  }
  for (int row = 0; row < p.m; ++row) {
    const float before = p.beta == 0.0F ? 0.0F : p.beta * p.c.at(batch, row, column);
    const long long index = batch * p.c.stride + row + static_cast<long long>(column) * p.c.leading;
    store(p.c, index, p.alpha * sums[static_cast<std::size_t>(row)] + before);
  }
}

bool perform(const Product& p) {
  declare_read(host_view(p.a.data), p.a.extent(p.batches, p.m, p.k));
  declare_read(host_view(p.b.data), p.b.extent(p.batches, p.k, p.n));
  declare_write(host_view(const_cast<void*>(p.c.data)), p.c.extent(p.batches, p.m, p.n));
  const Unseen unseen;
  for (int batch = 0; batch < p.batches; ++batch)
    for (int column = 0; column < p.n; ++column) multiply_column(p, batch, column);
  return true;
}

std::string problem_of(const Product& p, int device) {
  const auto side = [&](const char* name, const Operand& operand, int rows, int columns) {
    const std::string problem =
        memory().problem(operand.data, operand.extent(p.batches, rows, columns), device);
    return problem.empty() ? problem : std::string(name) + " is " + problem;
  };
  for (const std::string& text :
       {side("A", p.a, p.m, p.k), side("B", p.b, p.k, p.n), side("C", p.c, p.m, p.n)})
    if (!text.empty()) return text;
  return {};
}

template <class Act>
cublasStatus_t blas_call(const char* function, Act act) {
  const Unseen unseen;
  Engine::Lock lock = engine().lock();
  const std::optional<int> fault = take_call_fault(function);
  return fault ? static_cast<cublasStatus_t>(*fault) : act();
}

cublasStatus_t enqueue(const char* function, const cublasContext& handle, Product product) {
  product.a.tf32 = product.b.tf32 = handle.mode == CUBLAS_TF32_TENSOR_OP_MATH;
  Stream* const stream = stream_of(function, handle.stream);
  if (stream == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (!handle.workspace)
    found(function, "no workspace of its own: cuBLAS's default one is shared between streams");
  if (const std::string problem = problem_of(product, stream->device()); !problem.empty()) {
    found(function, problem);
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (sticky_error(stream->device()) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  Operation operation;
  operation.label = "product of " + std::to_string(product.m) + " x " + std::to_string(product.n) +
                    " x " + std::to_string(product.k);
  operation.body = [product] { return perform(product); };
  operation.activity = Activity{ActivityKind::Kernel};
  engine().enqueue(*stream, std::move(operation));
  return CUBLAS_STATUS_SUCCESS;
}

bool transposes(cublasOperation_t operation) { return operation != CUBLAS_OP_N; }

}  // namespace

extern "C" {

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return blas_call("cublasCreate", [&] {
    *handle = new cublasContext{.device = host_thread().device};
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return blas_call("cublasDestroy", [&] {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return blas_call("cublasSetStream", [&] {
    handle->stream = stream;
    handle->workspace = false;  // as the real one does
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  return blas_call("cublasSetWorkspace", [&] {
    if (const std::string problem = memory().problem(workspace, bytes, handle->device);
        !problem.empty())
      found("cublasSetWorkspace", problem);
    handle->workspace = true;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return blas_call("cublasSetMathMode", [&] {
    handle->mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t /*handle*/, int* version) {
  return blas_call("cublasGetVersion", [&] {
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
  });
}

const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "a cuBLAS call failed";
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k, const float* alpha,
                              const float* a, int lda, const float* b, int ldb, const float* beta,
                              float* c, int ldc) {
  return blas_call("cublasSgemm", [&] {
    return enqueue("cublasSgemm", *handle,
                   {.m = m,
                    .n = n,
                    .k = k,
                    .alpha = *alpha,
                    .beta = *beta,
                    .a = {a, CUDA_R_32F, transposes(transa), lda},
                    .b = {b, CUDA_R_32F, transposes(transb), ldb},
                    .c = {c, CUDA_R_32F, false, ldc}});
  });
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int batches) {
  return blas_call("cublasSgemmStridedBatched", [&] {
    return enqueue("cublasSgemmStridedBatched", *handle,
                   {.m = m,
                    .n = n,
                    .k = k,
                    .batches = batches,
                    .alpha = *alpha,
                    .beta = *beta,
                    .a = {a, CUDA_R_32F, transposes(transa), lda, stride_a},
                    .b = {b, CUDA_R_32F, transposes(transb), ldb, stride_b},
                    .c = {c, CUDA_R_32F, false, ldc, stride_c}});
  });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c,
                            cudaDataType type_c, int ldc, cublasComputeType_t /*compute*/,
                            cublasGemmAlgo_t /*algorithm*/) {
  return blas_call("cublasGemmEx", [&] {
    return enqueue("cublasGemmEx", *handle,
                   {.m = m,
                    .n = n,
                    .k = k,
                    .alpha = *static_cast<const float*>(alpha),
                    .beta = *static_cast<const float*>(beta),
                    .a = {a, type_a, transposes(transa), lda},
                    .b = {b, type_b, transposes(transb), ldb},
                    .c = {c, type_c, false, ldc}});
  });
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType type_a, int lda, long long stride_a,
    const void* b, cudaDataType type_b, int ldb, long long stride_b, const void* beta, void* c,
    cudaDataType type_c, int ldc, long long stride_c, int batches, cublasComputeType_t /*compute*/,
    cublasGemmAlgo_t /*algorithm*/) {
  return blas_call("cublasGemmStridedBatchedEx", [&] {
    return enqueue("cublasGemmStridedBatchedEx", *handle,
                   {.m = m,
                    .n = n,
                    .k = k,
                    .batches = batches,
                    .alpha = *static_cast<const float*>(alpha),
                    .beta = *static_cast<const float*>(beta),
                    .a = {a, type_a, transposes(transa), lda, stride_a},
                    .b = {b, type_b, transposes(transb), ldb, stride_b},
                    .c = {c, type_c, false, ldc, stride_c}});
  });
}

}  // extern "C"
