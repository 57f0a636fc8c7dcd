// What goes wrong with NCCL ends the run on all devices, with the call or the communicator, the GPU
// and the instruction named, and leaves nothing behind.
#include <gmock/gmock.h>

#include <thread>

#include "exec/state/failure.h"
#include "tests/exec/cuda/stand_in_devices.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/support/cuda_stand_in/stand_in_fixture.h"

namespace pipegraph::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class NcclFailure : public CudaTraining {
 protected:
  static constexpr int k_gpus = 4;
  NcclFailure() { start({.devices = k_gpus}); }

  /// What the run says that `spoil` spoils after its first step.
  template <class Spoil>
  static std::string failure(const Spoil& spoil, Seconds deadline = Seconds{1}) {
    TrainingRunOptions options = on_stand_in({.nccl = NcclSettings{}});
    options.deadline = deadline;
    const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1", "fc2", "fc3"}));
    TrainingRun run(plan->workload, plan->stages, plan->program, options);
    run.step();
    spoil();
    return message([&] { run.train(3); });
  }
  /// And of one that is not even made.
  static std::string failure_at_the_start(const NcclSettings& settings = {}) {
    TrainingRunOptions options = on_stand_in({.nccl = settings});
    options.deadline = Seconds{1};
    const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1", "fc2", "fc3"}));
    return message([&] { TrainingRun(plan->workload, plan->stages, plan->program, options); });
  }

 private:
  // No std::function: the stand-in, which ThreadSanitizer must not see, shares its code.
  template <class Act>
  static std::string message(const Act& act) {
    try {
      act();
    } catch (const MachineError& error) {
      return error.what();
    }
    return "no failure";
  }
};
INSTANTIATE_TEST_SUITE_P(Paces, NcclFailure, cuda_stand_in::both_paces(), cuda_stand_in::pace_name);

TEST_P(NcclFailure, OfACallNamesItWithRankDeviceAndLastWords) {
  EXPECT_THAT(
      failure([] { cuda_stand_in::fail_call("ncclSend", 5, ncclSystemError); }),
      AllOf(ContainsRegex("rank 0, device d[0-9]"), HasSubstr("ncclSend("),
            ContainsRegex("failed on GPU [0-9]: unhandled system error; ncclSend was made to fail"),
            HasSubstr("nccl_device.cpp:")));
}

TEST_P(NcclFailure, ThatACommunicatorTellsLaterNamesIt) {
  std::jthread later;
  // Messages are under way for ever when it happens.
  const auto spoil = [&] {
    cuda_stand_in::stop_rank(1);
    later = std::jthread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      cuda_stand_in::fail_communicators(ncclRemoteError);
    });
  };
  EXPECT_THAT(failure(spoil, Seconds{60}),
              AllOf(ContainsRegex("rank 0, device d[0-9]"),
                    ContainsRegex("the communicator d[0-9]>d[0-9] failed on GPU [0-9]: remote "
                                  "process exited or there was a network error")));
}

TEST_P(NcclFailure, OfARankThatStopsIsFoundByTheDeadline) {
  EXPECT_THAT(failure([] { cuda_stand_in::stop_rank(1); }),
              AllOf(HasSubstr("nothing has moved on any device for 1 s"),
                    ContainsRegex("d[0-9] +#[0-9]+ recv .* waits for")));
}

TEST_P(NcclFailure, OfJoiningNamesTheCall) {
  cuda_stand_in::fail_call("ncclCommInitRankConfig", 3, ncclSystemError);
  EXPECT_THAT(failure_at_the_start(), HasSubstr("ncclCommInitRankConfig("));
}

TEST_P(NcclFailure, OfTheFirstMessageNamesItsCommunicator) {
  cuda_stand_in::stop_rank(1);
  EXPECT_THAT(
      failure_at_the_start(),
      ContainsRegex("the communicator d[0-9]>d[0-9]: the (first message|other members' part) "
                    "has not come about for 1 s"));
}

TEST_P(NcclFailure, OfALibraryThatIsTooOldSaysSo) {
  start({.devices = k_gpus, .nccl_version = NCCL_VERSION(2, 18, 0)});
  EXPECT_EQ(failure_at_the_start(), "NCCL 2.18.0 is too old: 2.19.0 or newer is needed");
}

TEST_P(NcclFailure, OfOneCommunicatorForSharedGpusNamesThem) {
  start({.devices = 3});
  EXPECT_THAT(failure_at_the_start({.communicators = NcclCommunicators::One}),
              HasSubstr("but d0 and d3 share GPU"));
}

}  // namespace
}  // namespace pipegraph::test
