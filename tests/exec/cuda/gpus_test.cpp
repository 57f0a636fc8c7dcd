// Which GPUs are used, and the one line that says why they cannot be.
#include "exec/cuda/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/errors.h"
#include "tests/exec/training/thread_ranks.h"
#include "tests/support/cuda_stand_in/control.h"

namespace pipegraph::test {
namespace {

class Gpus : public testing::Test {
 protected:
  ~Gpus() override { cuda_stand_in::reset(); }

  static std::string refusal(const cuda_stand_in::Settings& machine, std::size_t devices) {
    cuda_stand_in::reset(machine);
    try {
      choose_gpus(devices, GpuSharing::Refused);
    } catch (const MachineError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Gpus, AreTakenRoundRobinWhereSharingIsAllowed) {
  cuda_stand_in::reset({.devices = 2});
  EXPECT_EQ(choose_gpus(5, GpuSharing::Allowed), (std::vector{0, 1, 0, 1, 0}));
}

TEST_F(Gpus, AreOneForEachDeviceOtherwise) {
  cuda_stand_in::reset({.devices = 3});
  EXPECT_EQ(choose_gpus(2, GpuSharing::Refused), (std::vector{0, 1}));
  EXPECT_EQ(refusal({.devices = 1}, 2),
            "the program uses 2 devices, this machine has 1 GPU: --share-gpus lets devices share");
}

TEST_F(Gpus, OfRanksFollowEachOther) {
  cuda_stand_in::reset({.devices = 4});
  const DevicesHere second{.own = 2, .before = 1, .all = 4, .rank = 1, .ranks = 3};
  EXPECT_EQ(choose_gpus(second, GpuSharing::Refused), (std::vector{1, 2}));
}

TEST_F(Gpus, OfRanksThatShareAreDealtOutByRank) {
  cuda_stand_in::reset({.devices = 4});
  const DevicesHere second{.own = 3, .before = 3, .all = 6, .rank = 1, .ranks = 2};
  EXPECT_EQ(choose_gpus(second, GpuSharing::Allowed), (std::vector{2, 3, 2}));
}

TEST_F(Gpus, AreThoseThatALauncherShowsARank) {
  cuda_stand_in::reset({.devices = 1});
  const DevicesHere second{.own = 1, .before = 1, .all = 2, .rank = 1, .ranks = 2};
  EXPECT_EQ(choose_gpus(second, GpuSharing::Refused), (std::vector{0}));
}

TEST_F(Gpus, AreCountedOverTheRanksOfAMachine) {
  cuda_stand_in::reset({.devices = 4});
  ThreadRanks::run(2, [](Ranks& ranks) {
    const DevicesHere here = devices_here({0, 1, 1}, ranks);  // both on this machine
    EXPECT_EQ(here.all, 3U);
    EXPECT_EQ(here.own, ranks.rank() == 0 ? 1U : 2U);
    EXPECT_EQ(here.before, ranks.rank() == 0 ? 0U : 1U);
    EXPECT_EQ(here.ranks, 2U);
  });
}

TEST_F(Gpus, NeedADriverThatIsNewEnough) {
  EXPECT_EQ(refusal({.driver_version = 0}, 1), "this machine has no NVIDIA driver");
  EXPECT_EQ(refusal({.driver_version = 12040}, 1),
            "the NVIDIA driver supports CUDA 12.4, this program needs 13.0 or newer: update the "
            "driver");
}

TEST_F(Gpus, MustBeThere) {
  EXPECT_EQ(refusal({.devices = 0}, 1),
            "this machine has no GPU, or CUDA_VISIBLE_DEVICES hides all of them");
}

}  // namespace
}  // namespace pipegraph::test
