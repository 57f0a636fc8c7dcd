// Training that is given nonsense, interrupted or killed: clear errors, and nothing lost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "apps/exit_code.h"
#include "core/base/files.h"
#include "exec/training/checkpoint_folder.h"
#include "tests/apps/training_bench.h"
#include "tests/exec/training/file_size_limit.h"

namespace pipegraph::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using TrainingFaults = TrainingBench;

void expect_refused(const Ran& ran, const std::vector<std::string>& words) {
  EXPECT_EQ(ran.code, ExitBadInput) << ran.err;
  for (const std::string& word : words) EXPECT_THAT(ran.err, HasSubstr(word));
}

TEST_F(TrainingFaults, RefuseWhatCannotBeTrained) {
  expect_refused(run({"run", "tower.yaml", "--backend", "emulated", "--train"}),
                 {"--backend: emulated devices compute nothing", "cpu"});
  expect_refused(train({"--steps", "0"}), {"--steps: 0"});
  expect_refused(train({"--trace"}), {"--trace: is for measuring"});
  expect_refused(train({"--warm-up", "0"}), {"--warm-up: is for measuring"});
  expect_refused(train({"--learning-rate", "-1"}), {"--learning-rate: -1"});
  expect_refused(train({"--plan", "three"}), {"no plan 'three'"});
  expect_refused(
      train({"--set", "training.precision=fp16", "--set", "cluster.device.peak={fp16: 1 TFLOP/s}"}),
      {"does not compute in fp16"});
  write_branches();
  expect_refused(run({"run", "branches.yaml", "--backend", "cpu", "--train"}),
                 {"has costs but no arithmetic", "emulated"});
  EXPECT_FALSE(exists("out/tower") || exists("out/branches"));
}

// This program lies in a folder of its own, where the module with the CUDA backend is not.
TEST_F(TrainingFaults, SayInOneLineThatTheBackendForGpusWasNotBuilt) {
  const Ran ran = run({"run", "tower.yaml", "--backend", "cuda", "--train"});
  EXPECT_EQ(ran.code, ExitFault);
  EXPECT_THAT(ran.err, HasSubstr("pipegraph: the CUDA backend was not built: there is no "));
  EXPECT_FALSE(exists("out/tower"));
  expect_refused(run({"run", "tower.yaml", "--backend", "cpu", "--share-gpus"}),
                 {"--share-gpus: only the backend 'cuda' has GPUs", "--backend cuda"});
  expect_refused(run({"run", "tower.yaml", "--backend", "cpu", "--issue", "graph"}),
                 {"--issue: only the backend 'cuda' has GPUs", "--backend cuda"});
  expect_refused(run({"run", "tower.yaml", "--backend", "cuda", "--issue", "graphs"}),
                 {"--issue: work is not issued by 'graphs'", "graph"});
}

TEST_F(TrainingFaults, RefuseBrokenDataBeforeAnythingRuns) {
  write_file("short.csv", "input[0]\n1\n");
  expect_refused(train({"--data", "short.csv"}), {"short.csv:1: there is no column 'input[1]'"});
  expect_refused(train({"--data", "absent.csv"}), {"absent.csv: cannot be read"});
  EXPECT_FALSE(exists("out/tower"));
}

TEST_F(TrainingFaults, RefuseToResumeWithoutTheDataOfTheCheckpoint) {
  std::string csv;
  for (int i = 0; i < 8; ++i) csv += fmt::format("input[{}],", i);
  csv += "loss[0],loss[1]\n";
  for (int sample = 0; sample < 8; ++sample) csv += "1,2,3,4,5,6,7,8,0.5,0.25\n";
  write_file("data.csv", csv);
  ASSERT_EQ(
      train({"--steps", "2", "--checkpoint-every", "2", "--data", "data.csv", "-o", "out"}).code,
      ExitDone);
  std::filesystem::rename("data.csv", "moved.csv");
  expect_refused(train({"--steps", "4", "--resume", "-o", "out"}),
                 {"--data: the checkpoint used ", "/data.csv, which is not there any more"});
  const Ran moved = train({"--steps", "4", "--resume", "--data", "moved.csv", "-o", "out"});
  EXPECT_EQ(moved.code, ExitDone) << moved.err;
  EXPECT_THAT(moved.err, ::testing::Not(HasSubstr("other samples")));
  csv.replace(csv.rfind("0.25"), 4, "0.26");
  write_file("moved.csv", csv);
  const Ran changed = train({"--steps", "6", "--resume", "-o", "out"});
  EXPECT_EQ(changed.code, ExitDone) << changed.err;
  EXPECT_THAT(changed.err, HasSubstr("trained on other samples (moved.csv, 8 samples, checksum "));
}

TEST_F(TrainingFaults, RefuseToStartOverCheckpoints) {
  ASSERT_EQ(train({"--steps", "2", "--checkpoint-every", "2", "-o", "out"}).code, ExitDone);
  const std::string tensors = tensors_in("out");
  expect_refused(train({"--steps", "2", "-o", "out"}),
                 {"step_00000002.json: is a checkpoint of an earlier training", "--resume"});
  EXPECT_EQ(tensors_in("out"), tensors);
  // Results without training leave it alone, too.
  ASSERT_EQ(run({"simulate", "tower.yaml", "--no-report", "-o", "out", "--set",
                 "simulation.backend=analytic"})
                .code,
            ExitDone);
  EXPECT_EQ(tensors_in("out"), tensors);
}

TEST_F(TrainingFaults, RefuseCheckpointsThatDoNotFit) {
  expect_refused(train({"--resume", "-o", "new"}),
                 {"new/training/checkpoints: holds no checkpoint"});
  EXPECT_FALSE(exists("new"));
  ASSERT_EQ(train({"--steps", "2", "--checkpoint-every", "2", "-o", "out"}).code, ExitDone);
  const std::vector<std::string> resume{"--steps", "4", "--resume", "-o", "out"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), resume.begin(), resume.end());
    return train(words);
  };
  expect_refused(with({"--set", "model.hidden=17"}),
                 {"is of another model: operator 'layer0'", "columns 16", "columns 17"});
  expect_refused(with({"--set", "training.optimizer=adam"}), {"optimizer momentum", "adam"});
  expect_refused(with({"--seed", "3"}), {"--seed: the checkpoint was made with seed 0"});
  std::filesystem::resize_file("out/training/checkpoints/step_00000002-0.0.tensors", 200);
  expect_refused(with({}), {"step_00000002-0.0.tensors", "ends after 200 bytes", "--resume=FILE"});
  std::filesystem::remove("out/training/checkpoints/step_00000002-0.0.tensors");
  expect_refused(with({}), {"step_00000002-0.0.tensors", "cannot be read", "--resume=FILE"});
  write_file("out/training/checkpoints/step_00000002.json", "");
  expect_refused(with({}), {"step_00000002.json: is no manifest", "--resume=FILE"});
}

TEST_F(TrainingFaults, NameTheStepOfALossThatIsNotFinite) {
  const Ran ran =
      train({"--steps", "50", "--learning-rate", "1e20", "--checkpoint-every", "1", "-o", "out"});
  EXPECT_EQ(ran.code, ExitFault);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("the loss of step "), HasSubstr("--learning-rate")));
  EXPECT_TRUE(exists("out/training/checkpoints/step_00000001.json"));
}

TEST_F(TrainingFaults, KeepTheOlderCheckpointOnAFullDisk) {
  ASSERT_EQ(train({"--steps", "2", "--checkpoint-every", "2", "-o", "out"}).code, ExitDone);
  const std::string tensors = tensors_in("out");
  {
    // The tensors take 4 KiB: 466 parameters and as much state.
    const FileSizeLimit limit(3000);
    const Ran ran = train({"--steps", "4", "--checkpoint-every", "2", "--resume", "-o", "out"});
    EXPECT_EQ(ran.code, ExitFault);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("the checkpoint of step 4 could not be written"),
                               HasSubstr("File too large")));
  }
  EXPECT_EQ(tensors_in("out"), tensors);
  ASSERT_EQ(train({"--steps", "4", "--checkpoint-every", "2", "--resume", "-o", "out"}).code,
            ExitDone);
}

/// Waits until a run has logged `rows` lines.
void wait_for_rows(const std::string& results, std::size_t rows) {
  while (!std::filesystem::exists(results + "/training/loss.csv") ||
         losses_in(results).size() < rows)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(TrainingFaults, EndAfterTheStepInWhichASignalComes) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const std::string results = "out" + std::to_string(signal);
    std::jthread interrupter([&] {
      wait_for_rows(results, 4);
      ::kill(::getpid(), signal);
    });
    const Ran ran = train({"--steps", "10000000", "--checkpoint-every", "10000000", "-o", results});
    EXPECT_EQ(ran.code, ExitNo) << ran.err;
    const std::string last = losses_in(results).back();
    const std::string step = last.substr(0, last.find(','));
    EXPECT_THAT(ran.err, HasSubstr("ended after step " + step + " of 10000000 by SIG"));
    EXPECT_EQ(
        std::to_string(read_manifest(find_manifest(results + "/training/checkpoints")).point.step),
        step);
  }
}

// 16 million mini-batches, which would take hours, are validated after the second step.
TEST_F(TrainingFaults, EndWithinAValidationWhenASignalComes) {
  std::jthread interrupter([&] {
    wait_for_rows("out", 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(::getpid(), SIGTERM);
  });
  const Ran ran = train({"--steps", "4", "--checkpoint-every", "1", "--validate-every", "2",
                         "--validation-batches", "16777216", "-o", "out"});
  EXPECT_EQ(ran.code, ExitNo) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("ended after step 2 of 4 by SIGTERM"));
  EXPECT_EQ(read_manifest(find_manifest("out/training/checkpoints")).point.step, 2);
}

/// `pipegraph run tower.yaml ...` in a process of its own, killed after a while.
void train_and_kill(const std::vector<std::string>& words, std::chrono::microseconds after) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<std::string> all{"run", "tower.yaml", "--backend", "cpu", "--train", "--no-report"};
    all.insert(all.end(), words.begin(), words.end());
    ::_exit(run(all).code);
  }
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST_F(TrainingFaults, ReachTheSameBitsHoweverOftenTheyAreKilled) {
  ASSERT_EQ(train({"--steps", "60", "--checkpoint-every", "3", "-o", "whole"}).code, ExitDone);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> microseconds(0, 60'000);
  std::vector<std::string> words{"--steps", "60", "--checkpoint-every", "3", "-o", "out"};
  for (int kill = 0; kill < 20; ++kill) {
    train_and_kill(words, std::chrono::microseconds(microseconds(random)));
    if (words.size() == 6 && !manifests_in("out/training/checkpoints").empty())
      words.emplace_back("--resume");
  }
  const Ran ran = train(words);
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  EXPECT_EQ(tensors_in("out"), tensors_in("whole"));
  EXPECT_EQ(losses_in("out"), losses_in("whole"));
}

}  // namespace
}  // namespace pipegraph::test
