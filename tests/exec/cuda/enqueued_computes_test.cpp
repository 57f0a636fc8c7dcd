// When the computes of a stream ran: what a GPU stamps in traced steps, nothing in others.
#include "exec/cuda/enqueued_computes.h"

#include <thread>

#include "exec/cuda/host_launch.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::test {
namespace {

constexpr Seconds k_work{2e-3};
constexpr int k_computes = 5;

class EnqueuedComputesOnAStream : public cuda_stand_in::StandIn {
 protected:
  /// One step of computes that each take k_work on the GPU; the host first looks when all have
  /// ended.
  std::vector<Completion> step(Tracing tracing) {
    times_.begin_step();
    clock_->begin(std::chrono::steady_clock::now(), tracing);
    for (std::int32_t i = 0; i < k_computes; ++i)
      computes_.add(InstructionId{i}, [&] {
        PIPEGRAPH_CUDA(
            launch_on_host(stream_.get(), "work", [] { std::this_thread::sleep_for(k_work); }));
      });
    PIPEGRAPH_CUDA(cudaStreamSynchronize(stream_.get()));
    all_ended_ = clock_->finish();
    const auto completions = computes_.poll();
    return {completions.begin(), completions.end()};
  }

  std::unique_ptr<Clock> clock_ = make_real_clock();
  CudaStream stream_ = make_stream();
  StreamTimes times_{*clock_};
  EnqueuedComputes computes_{stream_.get(), *clock_, times_};
  Seconds all_ended_{0};
};
INSTANTIATE_TEST_SUITE_P(Paces, EnqueuedComputesOnAStream, cuda_stand_in::both_paces(),
                         cuda_stand_in::pace_name);

TEST_P(EnqueuedComputesOnAStream, RunOneAfterTheOtherWithinTheStep) {
  for (int repeated = 0; repeated < 3; ++repeated) {
    const std::vector<Completion> done = step(Tracing::On);
    ASSERT_EQ(done.size(), k_computes);
    Seconds before{0};
    Seconds sum{0};
    for (int i = 0; i < k_computes; ++i) {
      const Completion& compute = done[static_cast<std::size_t>(i)];
      EXPECT_EQ(compute.instruction, InstructionId{i});
      EXPECT_GE(compute.start, before);
      before = compute.end;
      sum += compute.end - compute.start;
    }
    // By stamps of the host all of them would end when it looked, after this.
    EXPECT_LE(before, all_ended_);
    // A sleep lasts as long as asked for; times of events are floats of milliseconds.
    EXPECT_GE(sum, k_computes * k_work - Seconds{1e-6});
    EXPECT_LE(sum, all_ended_);
  }
}

TEST_P(EnqueuedComputesOnAStream, CostNoTimingWhereNothingIsTraced) {
  cuda_stand_in::fail_call("cudaEventElapsedTime", 1, cudaErrorUnknown);
  for (const Completion& done : step(Tracing::Off)) {
    EXPECT_EQ(done.start, Seconds{0});
    EXPECT_EQ(done.end, Seconds{0});
  }
  EXPECT_THROW(step(Tracing::On), CudaError);
}

}  // namespace
}  // namespace pipegraph::test
