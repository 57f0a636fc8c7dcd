// Plans on several GPUs: messages by copies and by NCCL bring the same numbers, which are the
// cpu's.
#include "tests/exec/cuda/gpu_devices.h"
#include "tests/exec/numerics/small_networks.h"

namespace pipegraph::test {
namespace {

using TwoGpus = OnGpus<testing::Test, 2>;
using FourGpus = OnGpus<testing::Test, 4>;

void expect_all_alike(const ComputationGraph& graph, const PlanSketch& sketch) {
  const Outcome copied = gradients_of(graph, sketch, on_gpus());
  expect_near(copied, gradients_of(graph, sketch), 1e-5, "copies and cpu");
  const NcclSettings one{.communicators = NcclCommunicators::One};
  expect_same_bits(gradients_of(graph, sketch, on_gpus({.wrap = {}, .nccl = NcclSettings{}})),
                   copied, "a communicator for each pair");
  expect_same_bits(gradients_of(graph, sketch, on_gpus({.wrap = {}, .nccl = one})), copied,
                   "one communicator");
}

TEST_F(TwoGpus, TrainAChain) {
  expect_all_alike(dense_chain(), cut_before(dense_chain(), {"fc2"}));
}

TEST_F(TwoGpus, TrainReplicas) {
  expect_all_alike(dense_chain(), replicated(on_one_device(dense_chain()), {2}));
}

TEST_F(FourGpus, TrainTwoBranches) {
  expect_all_alike(diamond_network(), cut_before(diamond_network(), {"left", "right", "sum"}));
}

}  // namespace
}  // namespace pipegraph::test
