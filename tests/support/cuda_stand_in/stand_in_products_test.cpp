// cuBLAS of the stand-in: column-major products with their transposes, strides and types.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::cuda_stand_in {
namespace {

class StandInProducts : public StandIn {
 protected:
  StandInProducts() {
    stream_ = new_stream();
    cublasCreate(&handle_);
    cublasSetStream(handle_, stream_);
    cublasSetWorkspace(handle_, new_floats(256), 1024);
  }
  ~StandInProducts() override { cublasDestroy(handle_); }

  static float* upload(const std::vector<float>& values) {
    float* const device = new_floats(values.size());
    std::copy(values.begin(), values.end(), host_view(device));
    return device;
  }

  std::vector<float> download(const float* device, std::size_t count) {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return {host_view(device), host_view(device) + count};
  }

  cudaStream_t stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Paces, StandInProducts, both_paces(), pace_name);

TEST_P(StandInProducts, MultipliesColumnMajorMatrices) {
  const float one = 1;
  const float zero = 0;
  const float* const a = upload({1, 2, 3, 4, 5, 6});  // 3 x 2: columns (1 2 3) and (4 5 6)
  const float* const b = upload({1, 10, 100, 1000});  // 2 x 2: columns (1 10) and (100 1000)
  float* const c = new_floats(6);

  EXPECT_EQ(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 2, &one, a, 3, b, 2, &zero, c, 3),
            CUBLAS_STATUS_SUCCESS);

  EXPECT_EQ(download(c, 6), (std::vector<float>{41, 52, 63, 4100, 5200, 6300}));
}

TEST_P(StandInProducts, AddsOntoTheOutputAndTransposes) {
  const float two = 2;
  const float one = 1;
  const float* const a = upload({1, 4, 2, 5, 3, 6});  // the transpose of the one above
  const float* const b = upload({1, 100, 10, 1000});
  float* const c = upload({1, 1, 1, 1, 1, 1});

  cublasSgemm(handle_, CUBLAS_OP_T, CUBLAS_OP_T, 3, 2, 2, &two, a, 2, b, 2, &one, c, 3);

  EXPECT_EQ(download(c, 6), (std::vector<float>{83, 105, 127, 8201, 10401, 12601}));
}

TEST_P(StandInProducts, RepeatsAProductAlongStrides) {
  const float one = 1;
  const float zero = 0;
  const float* const a = upload({1, 2, 3});
  const float* const b = upload({5, 7});
  float* const c = new_floats(3);

  cublasSgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, 1, b, 1, 0,
                            &zero, c, 1, 1, 3);

  EXPECT_EQ(download(c, 3), (std::vector<float>{5, 10, 15}));
}

TEST_P(StandInProducts, AddsProductsOfBfloat16UpInFloat) {
  const float one = 1;
  const float zero = 0;
  void* a = nullptr;
  cudaMalloc(&a, 512 * 2);
  for (int i = 0; i < 512; ++i)
    host_view(static_cast<__nv_bfloat16*>(a))[i] = __float2bfloat16(1.0F);
  float* const c = new_floats(1);

  cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 512, &one, a, CUDA_R_16BF, 1, a,
               CUDA_R_16BF, 512, &zero, c, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);

  EXPECT_EQ(download(c, 1), (std::vector<float>{512}));  // bfloat16 alone would stop at 256
}

TEST_P(StandInProducts, RefusesAMatrixThatEndsBeyondItsAllocation) {
  const float one = 1;
  const float zero = 0;
  float* const small = new_floats(3);
  EXPECT_NE(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 1, &one, small, 2, small, 1, &zero,
                        small, 2),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_P(StandInProducts, WantsAWorkspaceAfterTheStream) {
  const float one = 1;
  const float zero = 0;
  float* const c = upload({1});
  cublasSetStream(handle_, stream_);
  cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, c, 1, c, 1, &zero, c, 1);
  EXPECT_EQ(take_findings().size(), 1U);
}

}  // namespace
}  // namespace pipegraph::cuda_stand_in
