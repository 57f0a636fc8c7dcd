// Planted mistakes, each an ordering that CUDA does not promise: ThreadSanitizer reports every one,
// whatever the timing, and nothing when the ordering is there. Reports are expected here, so they
// do not fail the program by themselves.
#include <nccl.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/cuda_stand_in/sanitizer.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace {

std::atomic<int> g_reports{0};

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
void __tsan_on_report(void* /*report*/) { ++g_reports; }
const char* __tsan_default_options() {
  return "exitcode=0:suppress_equal_stacks=0:suppress_equal_addresses=0";
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

namespace pipegraph::cuda_stand_in {
namespace {

enum class Ordering : std::uint8_t { Promised, Forgotten };

/// Puts the code of a std::function into this program, where the sanitizer sees it, and in front of
/// the stand-in's own.
[[maybe_unused]] void (std::function<void()>::*const volatile k_call)() const =
    &std::function<void()>::operator();

/// Whether the sanitizer reported something since it was asked last.
bool reported() { return g_reports.exchange(0) > 0; }

class StandInRaces : public StandIn {
 protected:
  void SetUp() override {
    if (!under_thread_sanitizer()) GTEST_SKIP() << "only ThreadSanitizer sees races";
  }

  static void add_up(cudaStream_t stream, const float* data, float* sum) {
    launch(stream, "add up", [=] { host_view(sum)[0] = host_view(data)[0] + host_view(data)[1]; });
  }

  /// A value made on one stream is used on another.
  static void hand_over(Ordering ordering) {
    const cudaStream_t maker = new_stream();
    const cudaStream_t user = new_stream();
    const cudaEvent_t made = new_event();
    float* const data = new_floats(2);
    fill(maker, data, 2, 1.0F);
    cudaEventRecord(made, maker);
    if (ordering == Ordering::Promised) cudaStreamWaitEvent(user, made, 0);
    add_up(user, data, new_floats(1));
    cudaStreamSynchronize(user);
    cudaStreamSynchronize(maker);
  }

  /// A buffer is filled again while another stream may still use it.
  static void reuse(Ordering ordering) {
    const cudaStream_t maker = new_stream();
    const cudaStream_t user = new_stream();
    const cudaEvent_t made = new_event();
    const cudaEvent_t used = new_event();
    float* const data = new_floats(2);
    fill(maker, data, 2, 1.0F);
    cudaEventRecord(made, maker);
    cudaStreamWaitEvent(user, made, 0);
    add_up(user, data, new_floats(1));
    cudaEventRecord(used, user);
    if (ordering == Ordering::Promised) cudaStreamWaitEvent(maker, used, 0);
    fill(maker, data, 2, 2.0F);
    cudaStreamSynchronize(user);
    cudaStreamSynchronize(maker);
  }

  /// The host reads what a copy brings.
  static void read_back(Ordering ordering) {
    const cudaStream_t stream = new_stream();
    void* host = nullptr;
    cudaHostAlloc(&host, 8, 0);
    float* const data = new_floats(2);
    fill(stream, data, 2, 1.0F);
    cudaMemcpyAsync(host, data, 8, cudaMemcpyDeviceToHost, stream);
    if (ordering == Ordering::Promised) cudaStreamSynchronize(stream);
    volatile float value = static_cast<float*>(host)[0];
    static_cast<void>(value);
    cudaStreamSynchronize(stream);
  }

  /// A buffer that is being sent is filled again.
  static void overwrite_sent(Ordering ordering) {
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 2; ++rank)
      ranks.emplace_back([=] {
        cudaSetDevice(rank);
        ncclComm_t comm = nullptr;
        ncclCommInitRank(&comm, 2, id, rank);
        const cudaStream_t compute = new_stream();
        const cudaStream_t lane = new_stream();
        const cudaEvent_t made = new_event();
        const cudaEvent_t sent = new_event();
        float* const data = new_floats(2);
        if (rank == 0) {
          fill(compute, data, 2, 1.0F);
          cudaEventRecord(made, compute);
          cudaStreamWaitEvent(lane, made, 0);
          ncclSend(data, 2, ncclFloat32, 1, comm, lane);
          cudaEventRecord(sent, lane);
          if (ordering == Ordering::Promised) cudaStreamWaitEvent(compute, sent, 0);
          fill(compute, data, 2, 2.0F);
        } else {
          ncclRecv(data, 2, ncclFloat32, 0, comm, lane);
        }
        cudaStreamSynchronize(compute);
        cudaStreamSynchronize(lane);
        ncclCommDestroy(comm);
      });
    for (std::thread& rank : ranks) rank.join();
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, StandInRaces, both_paces(), pace_name);

TEST_P(StandInRaces, AMissingWaitForAnotherStreamIsSeen) {
  hand_over(Ordering::Promised);
  EXPECT_FALSE(reported());
  hand_over(Ordering::Forgotten);
  EXPECT_TRUE(reported());
}

TEST_P(StandInRaces, AMissingWaitBeforeABufferIsReusedIsSeen) {
  reuse(Ordering::Promised);
  EXPECT_FALSE(reported());
  reuse(Ordering::Forgotten);
  EXPECT_TRUE(reported());
}

TEST_P(StandInRaces, AHostReadBeforeTheCopyHasEndedIsSeen) {
  read_back(Ordering::Promised);
  EXPECT_FALSE(reported());
  read_back(Ordering::Forgotten);
  EXPECT_TRUE(reported());
}

TEST_P(StandInRaces, ABufferOverwrittenWhileItIsSentIsSeen) {
  overwrite_sent(Ordering::Promised);
  EXPECT_FALSE(reported());
  overwrite_sent(Ordering::Forgotten);
  EXPECT_TRUE(reported());
}

}  // namespace
}  // namespace pipegraph::cuda_stand_in
