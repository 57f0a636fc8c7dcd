// When messages moved: what the GPU stamps in traced steps, nothing in others.
#include "exec/cuda/cuda_lanes.h"

#include "tests/exec/cuda/device_array.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::test {
namespace {

/// Two devices on one GPU, driven by one thread.
class MovesOnALane : public cuda_stand_in::StandIn {
 protected:
  MovesOnALane() {
    lanes_.enter(DeviceId{0}, {sums_[0], times_[0]});
    lanes_.enter(DeviceId{1}, {sums_[1], times_[1]});
  }
  ~MovesOnALane() override {
    lanes_.leave(DeviceId{0});
    lanes_.leave(DeviceId{1});
  }

  /// Moves the numbers from one device to the other; the host looks when that has ended.
  std::optional<MoveTimes> move(Tracing tracing) {
    for (StreamTimes& times : times_) times.begin_step();
    clock_->begin(std::chrono::steady_clock::now(), tracing);
    const Piece from = piece(sent_), to = piece(received_);
    lanes_.posting(DeviceId{0});
    lanes_.begin({.channel = ChannelId{0},
                  .from = DeviceId{0},
                  .to = DeviceId{1},
                  .source = {&from, 1},
                  .target = {&to, 1}});
    PIPEGRAPH_CUDA(cudaDeviceSynchronize());
    seen_ = clock_->finish();
    EXPECT_TRUE(lanes_.ended(DeviceId{1}, ChannelId{0}));
    return lanes_.times(DeviceId{1});
  }

  static Piece piece(const DeviceArray<float>& array) {
    return {reinterpret_cast<std::byte*>(array.data()), Bytes{3 * sizeof(float)}};
  }

  std::unique_ptr<Clock> clock_ = make_real_clock();
  CudaStream stream_ = make_stream();
  CudaLanes lanes_{{0, 0}};
  SumStream sums_[2];
  StreamTimes times_[2]{StreamTimes(*clock_), StreamTimes(*clock_)};
  DeviceArray<float> sent_{{1, 2, 3}, stream_.get()}, received_{{0, 0, 0}, stream_.get()};
  Seconds seen_{0};
};
INSTANTIATE_TEST_SUITE_P(Paces, MovesOnALane, cuda_stand_in::both_paces(),
                         cuda_stand_in::pace_name);

TEST_P(MovesOnALane, AreTimedByTheGpuInTracedSteps) {
  for (int repeated = 0; repeated < 3; ++repeated) {
    const auto moved = move(Tracing::On);
    ASSERT_TRUE(moved);
    EXPECT_GE(moved->start, Seconds{0});
    EXPECT_GE(moved->end, moved->start);
    // By a stamp of the host it would end when the host looked, after this.
    EXPECT_LE(moved->end, seen_);
  }
  EXPECT_EQ(received_.download(stream_.get()), (std::vector<float>{1, 2, 3}));
}

TEST_P(MovesOnALane, AreNotTimedInOthers) {
  cuda_stand_in::fail_call("cudaEventElapsedTime", 1, cudaErrorUnknown);
  EXPECT_FALSE(move(Tracing::Off));
  EXPECT_THROW(move(Tracing::On), CudaError);
}

}  // namespace
}  // namespace pipegraph::test
