// What tests of the CUDA backend run on: the stand-in, fresh for every test, with two GPUs and at
// either pace; or, where they are linked with CUDA itself, the GPUs of this machine. Without enough
// of those a test is skipped, unless REQUIRE_GPU in the environment says that so many are there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/units.h"

#ifdef PIPEGRAPH_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in_fixture.h"
#else
#include "exec/cuda/cuda_error.h"
#endif

namespace pipegraph::test {

#ifdef PIPEGRAPH_CUDA_STAND_IN

/// Of cuBLAS; small, as the stand-in does not use it.
inline constexpr Bytes k_test_workspace{4096};

using GpuPace = cuda_stand_in::Pace;
inline auto gpu_paces() { return cuda_stand_in::both_paces(); }
inline std::string gpu_pace_name(const testing::TestParamInfo<GpuPace>& info) {
  return cuda_stand_in::pace_name(info);
}

/// `Base` is a test of gtest's. Must end with nothing found and nothing left over.
template <class Base, int Wanted = 2>
class OnGpus : public Base {
 protected:
  OnGpus() { cuda_stand_in::reset({.devices = Wanted}); }
  ~OnGpus() override {
    EXPECT_EQ(cuda_stand_in::take_findings(), std::vector<std::string>{});
    EXPECT_EQ(cuda_stand_in::reset(), std::vector<std::string>{}) << "left over";
  }
};

/// At the pace of the test.
class CudaTraining : public OnGpus<testing::TestWithParam<GpuPace>> {
 protected:
  CudaTraining() { start({}); }
  static void start(cuda_stand_in::Settings settings) {
    settings.pace = GetParam();
    cuda_stand_in::reset(settings);
  }
};

#else

inline constexpr Bytes k_test_workspace{std::uint64_t{32} << 20};

enum class GpuPace : std::uint8_t { Real };
inline auto gpu_paces() { return testing::Values(GpuPace::Real); }
inline std::string gpu_pace_name(const testing::TestParamInfo<GpuPace>& /*info*/) { return "Gpu"; }

/// 0 without a driver that can be used.
inline int gpu_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// In SetUp.
inline void require_gpus(int wanted) {
  const int found = gpu_count();
  if (found >= wanted) return;
  const char* const required = std::getenv("REQUIRE_GPU");
  if (required != nullptr && std::atoi(required) >= wanted)
    FAIL() << "REQUIRE_GPU=" << required << ", but CUDA finds " << found << " GPUs";
  GTEST_SKIP() << "needs " << wanted << " GPUs, CUDA finds " << found;
}

template <class Base, int Wanted = 1>
class OnGpus : public Base {
 protected:
  void SetUp() override { require_gpus(Wanted); }
};

class CudaTraining : public OnGpus<testing::TestWithParam<GpuPace>> {};

#endif

}  // namespace pipegraph::test
