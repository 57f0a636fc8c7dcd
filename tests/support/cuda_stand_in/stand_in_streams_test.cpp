// Streams, events, memory and errors of the stand-in.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/support/cuda_stand_in/sanitizer.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::cuda_stand_in {
namespace {

using testing::Values;

class StandInStreams : public StandIn {};
INSTANTIATE_TEST_SUITE_P(Paces, StandInStreams, both_paces(), pace_name);

TEST_P(StandInStreams, RunsTheOperationsOfAStreamInOrder) {
  const cudaStream_t stream = new_stream();
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) launch(stream, "note", [&order, i] { order.push_back(i); });

  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);

  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(StandInLazy, DoesNothingBeforeAHostWaits) {
  reset();
  const cudaStream_t stream = new_stream();
  std::atomic<bool> ran{false};
  launch(stream, "note", [&ran] { ran = true; });
  EXPECT_FALSE(ran);

  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(ran);
  reset();
}

TEST_P(StandInStreams, AnEventOrdersTwoStreams) {
  const cudaStream_t first = new_stream();
  const cudaStream_t second = new_stream();
  const cudaEvent_t event = new_event();
  float* const data = new_floats(64);
  float seen = 0;
  fill(first, data, 64, 3.0F);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  launch(second, "read", [&seen, data] { seen = host_view(data)[63]; });

  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);

  EXPECT_EQ(seen, 3.0F);
}

TEST_P(StandInStreams, AWaitMeansTheRecordThatWasLatestWhenItWasEnqueued) {
  const cudaStream_t first = new_stream();
  const cudaStream_t second = new_stream();
  const cudaEvent_t event = new_event();
  launch(first, "note", [] {});
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  cudaEventRecord(event, first);

  EXPECT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
}

TEST_P(StandInStreams, PollingAnEventLetsTheDeviceGoOn) {
  const cudaStream_t stream = new_stream();
  const cudaEvent_t event = new_event();
  launch(stream, "note", [] {});
  cudaEventRecord(event, stream);

  cudaError_t answer = cudaErrorNotReady;
  while (answer == cudaErrorNotReady) answer = cudaEventQuery(event);

  EXPECT_EQ(answer, cudaSuccess);
}

TEST_P(StandInStreams, FreshDeviceMemoryIsNotANumber) {
  EXPECT_TRUE(std::isnan(host_view(new_floats(1))[0]));
}

TEST(StandInLazy, AHostThatReadsDeviceMemoryFaults) {
  reset();
  if (under_thread_sanitizer()) GTEST_SKIP() << "the sanitizer intercepts the signal";
  float* const data = new_floats(1);
  const volatile float* const forbidden = data;
  EXPECT_DEATH({ [[maybe_unused]] const float value = *forbidden; }, "");
  reset();
}

TEST_P(StandInStreams, CopiesThroughPinnedMemory) {
  const cudaStream_t stream = new_stream();
  float* const device = new_floats(4);
  void* host = nullptr;
  cudaHostAlloc(&host, 4 * sizeof(float), 0);
  fill(stream, device, 4, 2.5F);

  cudaMemcpyAsync(host, device, 4 * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);

  EXPECT_EQ(static_cast<float*>(host)[3], 2.5F);
}

TEST_P(StandInStreams, RefusesPageableMemoryInAnAsynchronousCopy) {
  const cudaStream_t stream = new_stream();
  float host = 0;
  EXPECT_NE(cudaMemcpyAsync(&host, new_floats(1), sizeof host, cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_P(StandInStreams, RefusesToCopyBeyondAnAllocation) {
  const cudaStream_t stream = new_stream();
  float* const data = new_floats(4);
  EXPECT_NE(cudaMemsetAsync(data + 1, 0, 4 * sizeof(float), stream), cudaSuccess);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("beyond its allocation of 16 bytes"), std::string::npos);
}

TEST_P(StandInStreams, RefusesABufferOfAnotherDevice) {
  float* const data = new_floats(4);
  cudaSetDevice(1);
  EXPECT_NE(cudaMemsetAsync(data, 0, 4, new_stream()), cudaSuccess);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_P(StandInStreams, RefusesTheDefaultStream) {
  EXPECT_NE(launch(nullptr, "note", [] {}), cudaSuccess);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_P(StandInStreams, RefusesToWaitForAnEventThatWasNeverRecorded) {
  EXPECT_NE(cudaStreamWaitEvent(new_stream(), new_event(), 0), cudaSuccess);
  EXPECT_EQ(take_findings().size(), 1U);
}

TEST_P(StandInStreams, RunsOutOfMemory) {
  start({.memory_bytes = 1024});
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 1000), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 25), cudaErrorMemoryAllocation);
}

TEST_P(StandInStreams, AFailedOperationStaysOnItsDevice) {
  const cudaStream_t stream = new_stream();
  fail_operation("note", 2);
  launch(stream, "note", [] {});
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  launch(stream, "note", [] {});

  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(launch(stream, "note", [] {}), cudaErrorIllegalAddress);
  cudaSetDevice(1);
  EXPECT_EQ(launch(new_stream(), "note", [] {}), cudaSuccess);
}

TEST_P(StandInStreams, FailsTheCallThatATestAskedFor) {
  fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_P(StandInStreams, SaysThatThereIsNoUsableDevice) {
  start({.driver_version = 0});
  int count = 7;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorInsufficientDriver);
  EXPECT_EQ(count, 7);
  start({.devices = 0});
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
}

TEST_P(StandInStreams, ResetNamesWhatWasLeftOver) {
  new_stream();
  new_floats(2);
  EXPECT_EQ(reset(), (std::vector<std::string>{"8 bytes of device 0", "stream 0 of device 0"}));
}

}  // namespace
}  // namespace pipegraph::cuda_stand_in
