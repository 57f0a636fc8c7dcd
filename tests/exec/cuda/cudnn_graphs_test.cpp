// Whether cuDNN itself takes the graphs of attention, which its stand-in cannot tell: it is asked
// for its engines by the properties of a GPU instead of a GPU. Skipped where the library is not.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "exec/cuda/attention_graphs.h"

namespace pipegraph::test {
namespace {

/// What cuDNN wants to know of a GPU.
struct GpuProperties {
  std::string name;
  int version = 0, multiprocessors = 0, shared_memory = 0;
};

std::string json_of(const GpuProperties& gpu) {
  return R"({"deviceVer":)" + std::to_string(gpu.version) + R"(,"deviceName":")" + gpu.name +
         R"(","multiProcessorCount":)" + std::to_string(gpu.multiprocessors) +
         R"(,"maxSharedMemoryPerBlockOptin":)" + std::to_string(gpu.shared_memory) +
         R"(,"cudaDeviceId":0,"driverVer":13000,"totalGlobalMem":85000000000,)"
         R"("maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)"
         R"("regsPerBlock":65536,"smClockRateKHz":1410000,"memClockRateKHz":1593000,)"
         R"("l2CacheSize":41943040,"warpSize":32,"maxSharedMemoryPerBlock":49152,)"
         R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"pciDeviceId":0,)"
         R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"isTccDriver":0,)"
         R"("supportCoopLaunch":1})";
}

/// A driver, or the toolkit's stub of one, under the name by which cuDNN will look for it.
bool load_driver() {
  constexpr const char* k_driver = "libcuda.so.1";
  return ::dlopen(k_driver, RTLD_NOW) != nullptr ||
         (::dlopen(PIPEGRAPH_CUDA_DRIVER_STUB, RTLD_NOW) != nullptr &&
          ::dlopen(k_driver, RTLD_NOW) != nullptr);
}

class CudnnGraphs : public testing::TestWithParam<GpuProperties> {
 protected:
  void SetUp() override {
    if (!load_driver()) GTEST_SKIP() << "there is neither a driver nor a stub of one";
    try {
      if (cudnn_version() < k_first_without_gpu)
        GTEST_SKIP() << "this cuDNN has to see a GPU to be asked";
    } catch (const MachineError& missing) {
      GTEST_SKIP() << missing.what();
    }
  }

  /// Engines that cuDNN proposes for the graph.
  static std::size_t engines(const CudnnGraph& graph) {
    CudnnDescriptor gpu(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    gpu.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, json_of(GetParam())).finalize();
    const CudnnDescriptor operations = graph.finished(nullptr);
    CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operations)
        .set_heuristic(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A)
        .set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, gpu)
        .finalize();
    return heuristic.descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
        .size();
  }

  static constexpr std::size_t k_first_without_gpu = 91100;
};

INSTANTIATE_TEST_SUITE_P(Gpus, CudnnGraphs,
                         testing::Values(GpuProperties{"A100", 800, 108, 166912},
                                         GpuProperties{"H100", 900, 132, 232448}),
                         [](const testing::TestParamInfo<GpuProperties>& gpu) {
                           return gpu.param.name;
                         });

TEST_P(CudnnGraphs, OfBothPassesHaveEngines) {
  for (const bool causal : {false, true})
    for (const AttentionShape shape :
         {AttentionShape{1, 8, 1, 8, causal}, AttentionShape{3, 77, 4, 32, causal},
          AttentionShape{4, 256, 16, 128, causal}}) {
      EXPECT_GT(engines(forward_attention_graph(shape)), 0U) << to_text(shape);
      EXPECT_GT(engines(backward_attention_graph(shape)), 0U) << to_text(shape);
    }
}

// Nothing proposes engines for what is none of its patterns, so that their number tells something.
TEST_P(CudnnGraphs, OfSomethingElseHaveNone) {
  CudnnGraph graph;
  const FourDims dims{2, 2, 16, 16};
  const CudnnTensor given{dims, dense_strides(dims), CUDNN_DATA_BFLOAT16, TensorKind::Given};
  const auto a = graph.add(given), b = graph.add(given);
  const auto between = graph.add({dims, dense_strides(dims), CUDNN_DATA_FLOAT});
  graph.matmul(a, b, between);
  const auto sum = graph.add({{2, 2, 16, 1}, {32, 16, 1, 1}, CUDNN_DATA_FLOAT});
  graph.reduce(CUDNN_REDUCE_TENSOR_MAX, between, sum);
  graph.view(between, graph.add({dims, {512, 256, 1, 16}, CUDNN_DATA_BFLOAT16, TensorKind::Given}));
  try {
    EXPECT_EQ(engines(graph), 0U);
  } catch (const MachineError& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("cudnnBackendFinalize failed"));
  }
}

}  // namespace
}  // namespace pipegraph::test
