// What tests of the stand-in share: a fresh one for every test, in both paces, that ends clean.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/cuda_stand_in/control.h"

namespace pipegraph::cuda_stand_in {

/// A stream of the current device.
inline cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  return stream;
}

inline float* new_floats(std::size_t count) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(float)), cudaSuccess);
  return static_cast<float*>(pointer);
}

inline cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  return event;
}

class StandIn : public testing::TestWithParam<Pace> {
 protected:
  StandIn() { start({}); }
  ~StandIn() override {
    EXPECT_EQ(take_findings(), std::vector<std::string>{});
    reset();
  }

  /// With the pace of the test.
  void start(Settings settings) {
    settings.pace = GetParam();
    reset(settings);
  }

  /// Sets every element in `stream`'s order.
  static void fill(cudaStream_t stream, float* data, std::size_t count, float value) {
    ASSERT_EQ(launch(stream, "fill",
                     [=] {
                       for (std::size_t i = 0; i < count; ++i) host_view(data)[i] = value;
                     }),
              cudaSuccess);
  }
};

inline auto both_paces() { return testing::Values(Pace::Lazy, Pace::Eager); }
inline std::string pace_name(const testing::TestParamInfo<Pace>& info) {
  return info.param == Pace::Lazy ? "Lazy" : "Eager";
}

}  // namespace pipegraph::cuda_stand_in
