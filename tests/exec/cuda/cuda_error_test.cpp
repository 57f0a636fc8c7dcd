// What a failed call says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/cuda/handles.h"
#include "tests/support/cuda_stand_in/control.h"

namespace pipegraph::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const MachineError& error) {
    return error.what();
  }
  return "no error";
}

class CudaErrors : public ::testing::Test {
 protected:
  CudaErrors() { cuda_stand_in::reset({.memory_bytes = 1000}); }
  ~CudaErrors() override { cuda_stand_in::reset(); }
};

TEST_F(CudaErrors, NameTheCallItsPlaceTheDeviceAndTheReason) {
  PIPEGRAPH_CUDA(cudaSetDevice(1));
  EXPECT_THAT(
      error_of([] { allocate_on_device({1001}); }),
      AllOf(HasSubstr("cudaMalloc(&memory, bytes.count) failed on GPU 1"),
            HasSubstr("cudaErrorMemoryAllocation, out of memory"), HasSubstr("handles.cpp:")));
}

TEST_F(CudaErrors, OfNcclBringItsLastWords) {
  ncclConfig_t config{};
  ncclComm_t comm = nullptr;
  ncclUniqueId id;
  PIPEGRAPH_NCCL(ncclGetUniqueId(&id));
  EXPECT_THAT(error_of([&] { PIPEGRAPH_NCCL(ncclCommInitRankConfig(&comm, 1, id, 0, &config)); }),
              AllOf(HasSubstr("invalid argument"), HasSubstr("was not initialised")));
}

TEST_F(CudaErrors, LeaveNothingBehindWhenALaterAllocationFails) {
  EXPECT_NE(error_of([] {
              const GpuMemory first = allocate_on_device({600});
              const GpuMemory second = allocate_on_device({600});
            }),
            "no error");
  EXPECT_EQ(cuda_stand_in::bytes_in_use(0), 0U);
}

}  // namespace
}  // namespace pipegraph::test
