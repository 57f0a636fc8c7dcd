// Streams that are captured, and graphs that do again what was captured.
#include <gmock/gmock.h>

#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::cuda_stand_in {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Captures : public StandIn {
 protected:
  /// Doubles the number in `stream`'s order.
  static void twice(cudaStream_t stream, float* number) {
    ASSERT_EQ(launch(stream, "twice", [=] { *host_view(number) *= 2; }), cudaSuccess);
  }
  static void wait(cudaStream_t stream, cudaEvent_t event, cudaStream_t for_stream) {
    EXPECT_EQ(cudaEventRecord(event, for_stream), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
  }
  static float value(cudaStream_t stream, float* number) {
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return *host_view(number);
  }
  static void begin(cudaStream_t stream) {
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, Captures, both_paces(), pace_name);

TEST_P(Captures, DoNothingUntilTheyAreLaunchedAndThenTheSameEachTime) {
  cudaStream_t root = new_stream();
  cudaStream_t other = new_stream();
  cudaEvent_t event = new_event();
  float* number = new_floats(1);
  fill(root, number, 1, 3.0F);
  begin(root);
  twice(root, number);
  wait(other, event, root);
  twice(other, number);
  wait(root, event, other);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(root, &graph), cudaSuccess);
  EXPECT_EQ(value(root, number), 3.0F);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, root), cudaSuccess);
  EXPECT_EQ(value(root, number), 12.0F);
  EXPECT_EQ(cudaGraphLaunch(executable, root), cudaSuccess);
  twice(root, number);
  EXPECT_EQ(value(root, number), 96.0F);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_P(Captures, FailWhereNobodyWaitsForAStream) {
  cudaStream_t root = new_stream();
  cudaStream_t other = new_stream();
  cudaEvent_t event = new_event();
  float* number = new_floats(1);
  begin(root);
  wait(other, event, root);
  twice(other, number);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(root, &graph), cudaErrorStreamCaptureUnjoined);
  EXPECT_THAT(take_findings(), ElementsAre(HasSubstr("nobody waits for the end of stream 1")));
}

TEST_P(Captures, RefuseWhatCannotBeNoted) {
  cudaStream_t root = new_stream();
  cudaEvent_t before = new_event();
  EXPECT_EQ(cudaEventRecord(before, root), cudaSuccess);
  begin(root);
  EXPECT_EQ(cudaStreamSynchronize(root), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamWaitEvent(root, before, 0), cudaErrorStreamCaptureIsolation);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 8), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaEventRecord(before, root), cudaSuccess);
  EXPECT_NE(cudaEventQuery(before), cudaSuccess);
  EXPECT_EQ(take_findings().size(), 4U);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(root, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace pipegraph::cuda_stand_in
