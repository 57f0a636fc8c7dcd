// What the backend believes of GPUs and no stand-in can confirm; there it is only known that the
// tests themselves hold.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "exec/cuda/cuda_device.h"
#include "exec/cuda/nccl_communicator.h"
#include "tests/exec/cuda/device_array.h"
#include "tests/exec/cuda/gpu_devices.h"
#include "tests/exec/numerics/small_networks.h"

namespace pipegraph::test {
namespace {

using OneGpu = OnGpus<testing::Test>;

std::vector<float> numbers(std::int64_t count, const char* name) {
  const kernels::RandomStream stream = kernels::random_stream(1, name);
  std::vector<float> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(stream.symmetric(static_cast<std::uint64_t>(i)));
  return result;
}

/// Polls for ten seconds at most.
void wait_until_settled(const NcclCommunicator& communicator) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!communicator.settled()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST_F(OneGpu, SendsToItselfByNccl) {
  const CudaStream stream = make_stream();
  const std::vector<float> sent = numbers(1000, "sent");
  const DeviceArray<float> from(sent, stream.get());
  const DeviceArray<float> to(std::vector<float>(sent.size()), stream.get());
  const NcclCommunicator communicator(make_nccl_id(), {.name = "alone", .ranks = 1, .rank = 0});
  wait_until_settled(communicator);
  NcclGroup group;
  PIPEGRAPH_NCCL(
      ncclSend(from.data(), sent.size(), ncclFloat, 0, communicator.get(), stream.get()));
  PIPEGRAPH_NCCL(ncclRecv(to.data(), sent.size(), ncclFloat, 0, communicator.get(), stream.get()));
  group.end();
  wait_until_settled(communicator);
  EXPECT_EQ(to.download(stream.get()), sent);
}

/// Products of numbers in [-1, 1), 256 of them for each element; the largest error.
double error_of_products(ProductPrecision precision) {
  constexpr std::int64_t k_size = 256;
  const std::vector<float> a = numbers(k_size * k_size, "a"), b = numbers(k_size * k_size, "b");
  CudaDevice device({.precision = precision});
  const DeviceArray<float> a_there(a, device.stream()), b_there(b, device.stream());
  const DeviceArray<float> c_there(std::vector<float>(a.size()), device.stream());
  device.gemm({.m = k_size,
               .n = k_size,
               .k = k_size,
               .a = {a_there.data(), k_size},
               .b = {b_there.data(), k_size},
               .c = c_there.data(),
               .c_stride = k_size});
  const std::vector<float> c = c_there.download(device.stream());
  double worst = 0.0;
  for (std::size_t row = 0; row < k_size; ++row)
    for (std::size_t column = 0; column < k_size; ++column) {
      double exact = 0.0;
      for (std::size_t i = 0; i < k_size; ++i)
        exact += static_cast<double>(a[row * k_size + i]) * b[i * k_size + column];
      worst = std::max(worst, std::abs(c[row * k_size + column] - exact));
    }
  return worst;
}

// fp32: each of 256 additions rounds a sum below 256/3 to 2^-24 of it, and errors hardly add up.
// TF32 keeps 10 bits of a factor: errors of 2^-11 of each product, 256 of which add up like a walk
// at random to about 256^0.5 x 2^-11 x 0.5 = 4e-3.
TEST_F(OneGpu, MultipliesInTheAskedPrecision) {
  const double fp32 = error_of_products(ProductPrecision::Fp32);
  const double tf32 = error_of_products(ProductPrecision::Tf32);
  EXPECT_LT(fp32, 1e-4);
  EXPECT_GT(tf32, 10 * fp32);
  EXPECT_LT(tf32, 5e-2);
}

#ifndef PIPEGRAPH_CUDA_STAND_IN  // which finds fault with it
TEST_F(OneGpu, WaitsForNoEventThatWasNeverRecorded) {
  const CudaStream stream = make_stream();
  const CudaEvent never = make_event();
  PIPEGRAPH_CUDA(cudaStreamWaitEvent(stream.get(), never.get(), 0));
  PIPEGRAPH_CUDA(cudaStreamSynchronize(stream.get()));
}
#endif

struct GraphTraits {
  using Handle = cudaGraph_t;
  static void destroy(Handle handle) { static_cast<void>(cudaGraphDestroy(handle)); }
};
struct GraphExecTraits {
  using Handle = cudaGraphExec_t;
  static void destroy(Handle handle) { static_cast<void>(cudaGraphExecDestroy(handle)); }
};

TEST_F(OneGpu, DoesTheSameWhenAGraphIsLaunched) {
  constexpr std::int64_t k_count = 5000;
  const CudaStream stream = make_stream();
  const std::vector<float> start = numbers(k_count, "start"), step = numbers(k_count, "step");
  const DeviceArray<float> launched(start, stream.get()), replayed(start, stream.get());
  const DeviceArray<float> added(step, stream.get());
  add_floats(stream.get(), {added.data(), launched.data(), k_count});
  add_floats(stream.get(), {added.data(), launched.data(), k_count});

  PIPEGRAPH_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  add_floats(stream.get(), {added.data(), replayed.data(), k_count});
  cudaGraph_t captured = nullptr;
  PIPEGRAPH_CUDA(cudaStreamEndCapture(stream.get(), &captured));
  const CudaHandle<GraphTraits> graph(captured);
  cudaGraphExec_t ready = nullptr;
  PIPEGRAPH_CUDA(cudaGraphInstantiate(&ready, graph.get(), 0));
  const CudaHandle<GraphExecTraits> executable(ready);
  for (int i = 0; i < 2; ++i) PIPEGRAPH_CUDA(cudaGraphLaunch(executable.get(), stream.get()));

  EXPECT_EQ(replayed.download(stream.get()), launched.download(stream.get()));
}

TEST_F(OneGpu, GivesPlansTheMemoryThatTheyAccountFor) {
  const ComputationGraph graph = dense_chain();
  const auto plan =
      plan_from(graph, cut_before(graph, {"fc1", "fc2", "fc3"}, {.optimizer = Optimizer::Adam}));
  TrainingRunOptions options = on_gpus();
  options.memory = MemoryUse::Tight;
  TrainingRun run(plan->workload, plan->stages, plan->program, options);
  run.train(2);
  for (const TrainingEngine* engine : run.devices().engines()) {
    const DeviceMemoryUse use = static_cast<const CudaEngine*>(engine)->memory_use();
    EXPECT_GE(use.high_water, use.predicted + k_test_workspace);
  }
}

}  // namespace
}  // namespace pipegraph::test
