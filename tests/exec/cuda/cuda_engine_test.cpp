// What engines do besides computing: their memory, what they say when it is not enough, and how
// they end when a GPU fails.
#include <gmock/gmock.h>

#include "core/base/errors.h"
#include "tests/exec/cuda/stand_in_devices.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CudaEngines : public CudaTraining {
 protected:
  template <class Act>
  static std::string error_of(Act act) {
    try {
      act();
    } catch (const MachineError& error) {
      return error.what();
    }
    return "no error";
  }

  const ComputationGraph graph_ = dense_chain();
  const std::unique_ptr<TrainedPlan> plan_ =
      plan_from(graph_, cut_before(graph_, {"fc1", "fc2", "fc3"}, {.optimizer = Optimizer::Adam}));
  TrainingRun run_on_stand_in() const {
    TrainingRunOptions options = on_stand_in();
    options.memory = MemoryUse::Tight;
    return {plan_->workload, plan_->stages, plan_->program, options};
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, CudaEngines, cuda_stand_in::both_paces(), cuda_stand_in::pace_name);

/// Trains, and compares what devices say they took with what was expected of them before and with
/// what the stand-in has given. Returns what the memory function left out.
Bytes expect_full_account(TrainingRun run) {
  run.train(2);
  Bytes taken, beside;
  for (const TrainingEngine* engine : run.devices().engines()) {
    const DeviceMemoryUse use = static_cast<const CudaEngine*>(engine)->memory_use();
    EXPECT_GE(use.beside, k_small_workspace);
    EXPECT_EQ(use.high_water, use.predicted + use.beside);
    taken += use.high_water;
    beside += use.beside;
  }
  std::size_t given = 0;
  for (int gpu = 0; gpu < 4; ++gpu) given += cuda_stand_in::bytes_in_use(gpu);
  EXPECT_EQ(taken.count, given);
  return beside;
}

TEST_P(CudaEngines, KeepAccountOfAllTheMemoryTheyTake) {
  start({.devices = 4});
  expect_full_account(run_on_stand_in());
}

// fc0 and fc2 travel in one message. The sender keeps fc0 for its own backward, and fc1 with it, so
// that they lie apart: two samples of twice twelve floats.
TEST_P(CudaEngines, CountWhatIsStagedForNcclToo) {
  constexpr Bytes k_message{2 * 2 * 12 * sizeof(float)};
  const ComputationGraph graph = skipping_network();
  const PlanSketch sketch = cut_before(graph, {"fc3"});
  const auto beside = [&](const PlanSketch& of, const std::optional<NcclSettings>& nccl) {
    start({.devices = 4});
    const auto plan = plan_from(graph, of);
    TrainingRunOptions options = on_stand_in({.wrap = {}, .nccl = nccl});
    options.memory = MemoryUse::Tight;
    return expect_full_account({plan->workload, plan->stages, plan->program, options});
  };
  const NcclSettings in_order{}, one{.communicators = NcclCommunicators::One},
      by_nccl{.sums = GroupSums::ByNccl};
  EXPECT_GE(beside(sketch, in_order), beside(sketch, std::nullopt) + k_message);
  beside(sketch, one);
  // Sums of gradients are gathered in index order, or added up by NCCL.
  for (const NcclSettings& nccl : {in_order, one, by_nccl})
    beside(replicated(sketch, {2, 2}), nccl);
}

TEST_P(CudaEngines, SayWhatNeedsTheMemoryThatThereIsNot) {
  start({.memory_bytes = 3000});  // less than any stage's areas
  // Per sample: 10 numbers of x, 12 of each other operator; two samples of four bytes a number.
  EXPECT_THAT(error_of([&] { run_on_stand_in(); }),
              AllOf(HasSubstr("has 2.93 KiB left of 2.93 KiB, device d"), HasSubstr("needs 4"),
                    HasSubstr("it holds stage '"), HasSubstr("optimizer state 1."),
                    HasSubstr("the largest tensor is 'fc"), HasSubstr(" with 96 B for 2 samples")));
}

TEST_P(CudaEngines, EndTheRunWhenAGpuFails) {
  TrainingRun run = run_on_stand_in();
  run.step();
  cuda_stand_in::fail_operation("copy of", 3);
  EXPECT_THAT(error_of([&] { run.step(); }), HasSubstr("failed on GPU "));
}

TEST_P(CudaEngines, GoOnFromWhatIsWrittenIntoTheirMemory) {
  TrainingRun first = run_on_stand_in();
  first.train(2);
  TrainingRun second = run_on_stand_in();
  for (const auto& [name, values] : first.parameters()) second.set_parameter(name, values);
  EXPECT_EQ(second.parameters(), first.parameters());
}

}  // namespace
}  // namespace pipegraph::test
