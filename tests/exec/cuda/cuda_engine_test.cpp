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

TEST_P(CudaEngines, KeepAccountOfAllTheMemoryTheyTake) {
  TrainingRun run = run_on_stand_in();
  run.train(2);
  Bytes taken;
  for (const TrainingEngine* engine : run.devices().engines()) {
    const DeviceMemoryUse use = static_cast<const CudaEngine*>(engine)->memory_use();
    EXPECT_GE(use.high_water, use.predicted + k_small_workspace);
    taken += use.high_water;
  }
  EXPECT_EQ(taken.count, cuda_stand_in::bytes_in_use(0) + cuda_stand_in::bytes_in_use(1));
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
