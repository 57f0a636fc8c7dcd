// A checkpoint is whole or not there: killed at any moment, on a full disk, in a folder that cannot
// be written.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "core/base/errors.h"
#include "exec/training/checkpoint_folder.h"
#include "tests/exec/training/fake_state.h"
#include "tests/exec/training/file_size_limit.h"
#include "tests/exec/training/scratch_folder.h"

namespace pipegraph {
namespace {

using test::FakeState;
using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// 4 tensors of 5 000 floats: several writes each.
FakeState state_of_step(std::int64_t step) {
  FakeState state({{"a", {5000}}, {"b", {5000}}, {"c", {50, 100}}, {"d", {5000, 1}}});
  state.fill(static_cast<float>(step));
  return state;
}

void write(const std::filesystem::path& folder, std::int64_t step) {
  SingleRank single;
  write_checkpoint(folder, {.step = step, .mini_batch = 1, .data = "synthetic"},
                   state_of_step(step), single);
}

/// Reads the latest checkpoint and compares every value with what its step wrote.
std::int64_t step_of_whole_checkpoint(const std::filesystem::path& folder) {
  const Checkpoint checkpoint = read_manifest(find_manifest(folder));
  FakeState read = state_of_step(0);
  restore(checkpoint, read);
  FakeState expected = state_of_step(checkpoint.point.step);
  EXPECT_EQ(read.values(), expected.values());
  return checkpoint.point.step;
}

class CheckpointFaults : public test::ScratchFolder {};

/// A child that writes checkpoints until it is killed.
class Writer {
 public:
  Writer(const std::filesystem::path& folder, std::int64_t first_step) : child_(::fork()) {
    if (child_ != 0) return;
    try {
      for (std::int64_t step = first_step;; ++step) write(folder, step);
    } catch (...) {
      ::_exit(1);
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  }

 private:
  pid_t child_;
};

TEST_F(CheckpointFaults, LeaveOneReadableWhenKilledAtAnyMoment) {
  write(folder(), 1);
  std::mt19937 random(20);
  std::uniform_int_distribution<int> microseconds(0, 15'000);
  std::int64_t step = 1;
  for (int kill = 0; kill < 40; ++kill) {
    {
      const Writer writer(folder(), step + 1);
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    }
    const std::int64_t now = step_of_whole_checkpoint(folder());
    EXPECT_GE(now, step);
    step = now;
  }
  write(folder(), step + 1);
  EXPECT_EQ(files_in(folder()), 4) << "remains of killed writers are left";
}

TEST_F(CheckpointFaults, LeaveTheOlderOnesWholeOnAFullDisk) {
  write(folder(), 1);
  write(folder(), 2);
  const std::uint64_t most =
      std::filesystem::file_size(path(read_manifest(find_manifest(folder())).files[0]));
  for (std::uint64_t bytes = 0; bytes < most; bytes += 997) {
    std::string error;
    {
      const test::FileSizeLimit limit(bytes);
      error = message_of<MachineError>([&] { write(folder(), 3); });
    }
    EXPECT_THAT(error, AllOf(HasSubstr("the checkpoint of step 3"), HasSubstr("cannot be written"),
                             HasSubstr("File too large")))
        << bytes;
    EXPECT_EQ(step_of_whole_checkpoint(folder()), 2);
    EXPECT_EQ(files_in(folder()), 4);
  }
}

TEST_F(CheckpointFaults, NameTheFolderThatCannotBeMade) {
  write_file(path("file"), "");
  EXPECT_THAT(message_of<MachineError>([&] { write(path("file") / "checkpoints", 1); }),
              AllOf(HasSubstr("file/checkpoints"), HasSubstr("cannot be made")));
}

}  // namespace
}  // namespace pipegraph
