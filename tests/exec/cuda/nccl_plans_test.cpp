// Plans whose messages travel by NCCL compute what the cpu computes: with communicators of their
// own for each pair and group, with a single one, and with devices that share GPUs.
#include "tests/exec/cuda/cut_networks.h"
#include "tests/exec/cuda/stand_in_devices.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::test {
namespace {

class NcclTraining : public CudaTraining {
 protected:
  static constexpr int k_gpus = 8;
  NcclTraining() { start({.devices = k_gpus}); }

  static TrainingRunOptions by_nccl(const NcclSettings& settings = {}) {
    return on_stand_in({.nccl = settings});
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, NcclTraining, cuda_stand_in::both_paces(),
                         cuda_stand_in::pace_name);

PlanSketch two_branches(Optimizer optimizer = Optimizer::None) {
  return cut_before(diamond_network(), {"left", "right", "sum"},
                    {.mini_batch = 12, .micro_batch = 4, .optimizer = optimizer});
}
PlanSketch two_branches_replicated(Optimizer optimizer = Optimizer::None) {
  return replicated(two_branches(optimizer), {2, 1, 1, 3});
}

constexpr NcclSettings k_one{.communicators = NcclCommunicators::One};
constexpr NcclSettings k_sums_by_nccl{.sums = GroupSums::ByNccl};

TEST_P(NcclTraining, HasTheBitsOfCopiesForEverySchedule) {
  for (const char* schedule : {"1f1b", "gpipe", "kfkb", "zb1p"}) {
    const PlanSketch plan =
        cut_before(diamond_network(), {"left", "right", "sum"}, {.schedule = schedule});
    const Outcome copied = gradients_of(diamond_network(), plan, on_stand_in());
    expect_same_bits(gradients_of(diamond_network(), plan, by_nccl()), copied, schedule);
    expect_same_bits(gradients_of(diamond_network(), plan, by_nccl(k_one)), copied, schedule);
  }
}

TEST_P(NcclTraining, HasTheBitsOfCopiesWithReplicas) {
  const PlanSketch plan = two_branches_replicated();
  const Outcome copied = gradients_of(diamond_network(), plan, on_stand_in());
  expect_same_bits(gradients_of(diamond_network(), plan, by_nccl()), copied, "pairs");
  expect_same_bits(gradients_of(diamond_network(), plan, by_nccl(k_one)), copied, "one");
}

TEST_P(NcclTraining, CopiesNothingBetweenGpus) {
  cuda_stand_in::fail_call("cudaMemcpyPeerAsync", 1, cudaErrorUnknown);
  gradients_of(diamond_network(), two_branches_replicated(), by_nccl());
  gradients_of(diamond_network(), two_branches_replicated(), by_nccl(k_one));
  EXPECT_THROW(gradients_of(diamond_network(), two_branches_replicated(), on_stand_in()),
               MachineError);
}

TEST_P(NcclTraining, GivesTheGradientsOfTheCpuForGraphsAndChains) {
  for (const CutNetwork& network : cut_networks())
    for (const PlanKind kind : {PlanKind::Graph, PlanKind::Sequential}) {
      const ComputationGraph graph = network.graph();
      const PlanSketch plan = cut_before(graph, network.cuts, {.kind = kind});
      expect_near(gradients_of(graph, plan, by_nccl()), gradients_of(graph, plan), 1e-5,
                  network.name);
      expect_near(gradients_of(graph, recomputed(plan), by_nccl()), gradients_of(graph, plan), 1e-5,
                  network.name + " recomputed");
    }
}

TEST_P(NcclTraining, GivesTheGradientsOfTheCpuWithReplicasAndRaggedEnds) {
  for (const CutNetwork& network : cut_networks()) {
    const ComputationGraph graph = network.graph();
    const PlanSketch whole = cut_before(graph, network.cuts, {.mini_batch = 11, .micro_batch = 4});
    std::vector<int> replicas;
    for (std::size_t s = 0; s < whole.stages.size(); ++s) replicas.push_back(s % 2 == 0 ? 2 : 1);
    const PlanSketch plan = replicated(whole, replicas);
    const Outcome expected = gradients_of(graph, plan);
    for (const NcclSettings& settings : {NcclSettings{}, k_one, k_sums_by_nccl})
      expect_near(gradients_of(graph, plan, by_nccl(settings)), expected, 1e-5, network.name);
  }
}

TEST_P(NcclTraining, HasTheBitsOfCopiesInBf16) {
  const ComputationGraph graph = diamond_network(Precision::Bf16);
  PlanSketch plan = two_branches_replicated();
  plan.precision = Precision::Bf16;
  expect_same_bits(gradients_of(graph, plan, by_nccl()), gradients_of(graph, plan, on_stand_in()),
                   "bf16");
}

TEST_P(NcclTraining, LeavesDevicesOfOneGpuToCopies) {
  start({.devices = 3});  // seven devices
  const PlanSketch plan = two_branches_replicated();
  expect_same_bits(gradients_of(diamond_network(), plan, by_nccl()),
                   gradients_of(diamond_network(), plan, on_stand_in()), "shared");
}

TEST_P(NcclTraining, SumsOfNcclAreEqualWithinRounding) {
  for (const PlanSketch& plan :
       {two_branches_replicated(),
        replicated(cut_before(tied_network(), {"norm", "head"}), {1, 1, 1})}) {
    const ComputationGraph graph = plan.stages.size() == 4 ? diamond_network() : tied_network();
    expect_near(gradients_of(graph, plan, by_nccl(k_sums_by_nccl)), gradients_of(graph, plan), 1e-5,
                "sums by NCCL");
  }
}

TEST_P(NcclTraining, SumsOfNcclAreInAnOrderOfItsOwn) {
  const PlanSketch plan = replicated(on_one_device(dense_chain()), {2});
  const PlanSketch three =
      replicated(on_one_device(dense_chain(), {.mini_batch = 9, .micro_batch = 3}), {3});
  expect_same_bits(gradients_of(dense_chain(), plan, by_nccl(k_sums_by_nccl)),
                   gradients_of(dense_chain(), plan, on_stand_in()), "two");
  EXPECT_NE(gradients_of(dense_chain(), three, by_nccl(k_sums_by_nccl)).tensors,
            gradients_of(dense_chain(), three, on_stand_in()).tensors);
}

TEST_P(NcclTraining, HasTheLossesOfTheCpuOverFiftySteps) {
  const auto plan = plan_from(diamond_network(), two_branches_replicated(Optimizer::Momentum));
  const std::vector<double> expected =
      TrainingRun(plan->workload, plan->stages, plan->program).train(50);
  for (const NcclSettings& settings : {NcclSettings{}, k_one, k_sums_by_nccl}) {
    const std::vector<double> actual =
        TrainingRun(plan->workload, plan->stages, plan->program, by_nccl(settings)).train(50);
    for (std::size_t step = 0; step < expected.size(); ++step)
      ASSERT_NEAR(actual[step], expected[step], 1e-4 * expected[step]) << "step " << step;
  }
}

}  // namespace
}  // namespace pipegraph::test
