// Training on the cpu from the command line: it learns, continues to the bit, takes data from
// files.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/exit_code.h"
#include "core/base/files.h"
#include "exec/training/checkpoint_folder.h"
#include "exec/training/tensor_file.h"
#include "tests/apps/training_bench.h"

namespace pipegraph::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using TrainingVerb = TrainingBench;

TEST_F(TrainingVerb, LearnsWhatItIsShown) {
  const Ran ran = train({"--steps", "150", "--validate-every", "150", "-o", "out"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const std::vector<double> losses = loss_values_in("out");
  ASSERT_THAT(losses, SizeIs(150));
  EXPECT_LT(losses.back(), losses.front() / 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("step 1 of 150: loss "), HasSubstr("step 150 of 150: loss "),
                             HasSubstr("validation loss")));
  EXPECT_TRUE(exists("out/plans/two/plan.yaml"));
  EXPECT_TRUE(exists("out/summary.json"));
  EXPECT_FALSE(exists("out/training/checkpoints"));
}

TEST_F(TrainingVerb, ContinuesTheSamePlanToTheSameBits) {
  for (const std::string optimizer : {"sgd", "momentum", "adam"}) {
    const std::string set = "training.optimizer=" + optimizer;
    ASSERT_EQ(train({"--set", set, "--steps", "9", "--checkpoint-every", "4", "-o", "whole"}).code,
              ExitDone);
    ASSERT_EQ(train({"--set", set, "--steps", "5", "--checkpoint-every", "4", "-o", "parts"}).code,
              ExitDone);
    const Ran ran =
        train({"--set", set, "--steps", "9", "--checkpoint-every", "4", "--resume", "-o", "parts"});
    ASSERT_EQ(ran.code, ExitDone) << ran.err;
    EXPECT_EQ(tensors_in("parts"), tensors_in("whole")) << optimizer;
    EXPECT_EQ(losses_in("parts"), losses_in("whole")) << optimizer;
    std::filesystem::remove_all("whole");
    std::filesystem::remove_all("parts");
  }
}

// Equal micro-batches and shares: the numerics rule promises the same bits from the same state.
TEST_F(TrainingVerb, ContinuesFromTheSameStateUnderAnotherPlan) {
  ASSERT_EQ(train({"--steps", "9", "--checkpoint-every", "4", "-o", "whole"}).code, ExitDone);
  ASSERT_EQ(train({"--steps", "5", "--checkpoint-every", "5", "-o", "parts"}).code, ExitDone);
  ASSERT_EQ(train({"--plan", "turned", "--steps", "9", "--checkpoint-every", "4", "--resume", "-o",
                   "parts"})
                .code,
            ExitDone);
  EXPECT_EQ(losses_in("parts"), losses_in("whole"));
}

// Other shares add up in another order: 50 steps coincide to 1e-4.
TEST_F(TrainingVerb, ContinuesOnReplicasWithinTheNumericsRule) {
  ASSERT_EQ(train({"--steps", "50", "-o", "whole"}).code, ExitDone);
  ASSERT_EQ(train({"--steps", "10", "--checkpoint-every", "10", "-o", "parts"}).code, ExitDone);
  const Ran ran = train({"--plan", "replicas", "--steps", "50", "--checkpoint-every", "50",
                         "--resume", "-o", "parts"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const std::vector<double> whole = loss_values_in("whole"), parts = loss_values_in("parts");
  ASSERT_EQ(parts.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_NEAR(parts[i], whole[i], 1e-4 * whole[i]) << "step " << i + 1;
}

// Whether this machine was disturbed is its affair; that it was watched is not.
TEST_F(TrainingVerb, SaysWhatTheMachineDidMeanwhile) {
  const Ran ran = train({"--steps", "5", "--validate-every", "2", "-o", "out"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const auto summary = nlohmann::json::parse(read_file("out/summary.json"));
  const auto measured = summary["points"][0]["plans"][0]["measured"];
  EXPECT_EQ(measured["steps"], 4);  // without the first
  ASSERT_TRUE(measured["disturbed"].is_number());
  const int disturbed = measured["disturbed"];
  EXPECT_LE(disturbed, 4);
  EXPECT_EQ(ran.err.find("two: the machine did other things in " + std::to_string(disturbed) +
                         " of 4 steps") != std::string::npos,
            disturbed > 0)
      << ran.err;
  EXPECT_EQ(measured["no_verdict"].is_null(), disturbed <= 2);
}

TEST_F(TrainingVerb, DependsOnTheSeed) {
  for (const std::string seed : {"0", "1"})
    ASSERT_EQ(train({"--steps", "2", "--seed", seed, "-o", "seed" + seed}).code, ExitDone);
  ASSERT_EQ(train({"--steps", "2", "-o", "default"}).code, ExitDone);
  EXPECT_EQ(losses_in("default"), losses_in("seed0"));
  EXPECT_NE(losses_in("seed1"), losses_in("seed0"));
}

TEST_F(TrainingVerb, KeepsTheSettingsOfTheCheckpoint) {
  const std::vector<std::string> settings{"--seed", "5",          "--learning-rate",
                                          "0.3",    "--momentum", "0.5"};
  std::vector<std::string> words{"--steps", "2", "--checkpoint-every", "2", "-o", "out"};
  words.insert(words.end(), settings.begin(), settings.end());
  ASSERT_EQ(train(words).code, ExitDone);
  ASSERT_EQ(train({"--steps", "4", "--checkpoint-every", "2", "--resume", "-o", "out"}).code,
            ExitDone);
  const TrainingPoint point = read_manifest(find_manifest("out/training/checkpoints")).point;
  EXPECT_EQ(point.step, 4);
  EXPECT_EQ(point.seed, 5);
  EXPECT_EQ(point.settings.learning_rate, 0.3);
  EXPECT_EQ(point.settings.momentum, 0.5);
}

TEST_F(TrainingVerb, TellsWhichLossesAreMissing) {
  ASSERT_EQ(train({"--steps", "4", "--checkpoint-every", "4", "-o", "out"}).code, ExitDone);
  const std::string text = read_file("out/training/loss.csv");
  write_file("out/training/loss.csv", text.substr(0, text.find("\n3,") + 1));
  const Ran cut = train({"--steps", "5", "--resume", "-o", "out"});
  EXPECT_THAT(cut.err, HasSubstr("loss.csv lacks 2 of the 4 steps before this run"));
  std::filesystem::remove("out/training/loss.csv");
  EXPECT_THAT(train({"--steps", "6", "--resume", "-o", "out"}).err,
              HasSubstr("lacks 5 of the 5 steps"));
  EXPECT_THAT(losses_in("out"), SizeIs(1 + 1));
}

/// 20 samples of the tower: features sin(i), targets cos(i), in order of the elements.
struct Samples {
  std::vector<float> features, targets;
  Samples() {
    for (int i = 0; i < 20 * 8; ++i) features.push_back(std::sin(static_cast<float>(i)));
    for (int i = 0; i < 20 * 2; ++i) targets.push_back(std::cos(static_cast<float>(i)));
  }
  void write_tensors(const std::string& path) const {
    TensorFileWriter writer(
        path, {{"input", ElementType::Float32, {20, 8}}, {"loss", ElementType::Float32, {20, 2}}});
    writer.append(std::as_bytes(std::span(features)));
    writer.append(std::as_bytes(std::span(targets)));
    writer.commit();
  }
  void write_csv(const std::string& path) const {
    std::string text;
    for (int i = 0; i < 8; ++i) text += fmt::format("input[{}],", i);
    text += "loss[0],loss[1]\n";
    for (std::size_t sample = 0; sample < 20; ++sample) {
      for (std::size_t i = 0; i < 8; ++i) text += fmt::format("{},", features[8 * sample + i]);
      text += fmt::format("{},{}\n", targets[2 * sample], targets[2 * sample + 1]);
    }
    write_file(path, text);
  }
};

TEST_F(TrainingVerb, TrainsTheSameFromATensorFileAndFromCsv) {
  Samples().write_tensors("data.tensors");
  Samples().write_csv("data.csv");
  for (const std::string kind : {"tensors", "csv"}) {
    const Ran ran = train({"--steps", "7", "--data", "data." + kind, "--validation-data",
                           "data." + kind, "--validate-every", "7", "-o", kind});
    ASSERT_EQ(ran.code, ExitDone) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("the last 4 samples do not fill a mini-batch"));
  }
  EXPECT_EQ(losses_in("csv"), losses_in("tensors"));
}

// At a learning rate of almost nothing the model stays as it is, so that the losses of 5
// mini-batches of 8 out of 20 samples are those of samples 0-7, 8-15, 16-19 and 0-3, 4-11, 12-19:
// each sample twice.
TEST_F(TrainingVerb, ContinuesWithTheDataTheCheckpointsAndTheValidationsOfTheCheckpoint) {
  Samples().write_tensors("data.tensors");
  Samples().write_csv("validation.csv");
  const std::vector<std::string> habits{"--data",
                                        "data.tensors",
                                        "--checkpoint-every",
                                        "2",
                                        "--validate-every",
                                        "3",
                                        "--validation-data",
                                        "validation.csv",
                                        "--validation-batches",
                                        "1"};
  const auto with_habits = [&](std::vector<std::string> words) {
    words.insert(words.end(), habits.begin(), habits.end());
    return train(words);
  };
  ASSERT_EQ(with_habits({"--steps", "9", "-o", "whole"}).code, ExitDone);
  ASSERT_EQ(with_habits({"--steps", "6", "-o", "parts"}).code, ExitDone);
  const Ran ran = train({"--steps", "9", "--resume", "-o", "parts"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("other samples")));
  EXPECT_EQ(losses_in("parts"), losses_in("whole"));
  EXPECT_EQ(tensors_in("parts"), tensors_in("whole"));
  EXPECT_TRUE(exists("parts/training/checkpoints/step_00000008.json"));
}

TEST_F(TrainingVerb, ShowsEverySampleOfAFileEquallyOften) {
  Samples().write_tensors("data.tensors");
  ASSERT_EQ(
      train({"--steps", "5", "--learning-rate", "1e-30", "--data", "data.tensors", "-o", "a"}).code,
      ExitDone);
  ASSERT_EQ(train({"--set", "training.mini_batch=20", "--steps", "1", "--data", "data.tensors",
                   "-o", "b"})
                .code,
            ExitDone);
  double sum = 0;
  for (const double loss : loss_values_in("a")) sum += loss;
  EXPECT_NEAR(sum / 5, loss_values_in("b").front(), 1e-6);
}

TEST_F(TrainingVerb, TellsWhenThereIsNothingToDo) {
  ASSERT_EQ(train({"--steps", "4", "--checkpoint-every", "2", "-o", "out"}).code, ExitDone);
  const auto before = losses_in("out");
  for (const std::string steps : {"4", "3"}) {
    const Ran ran = train({"--steps", steps, "--checkpoint-every", "2", "--resume", "-o", "out"});
    EXPECT_EQ(ran.code, ExitDone) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("the checkpoint is of step 4, there is nothing to do"));
  }
  EXPECT_EQ(losses_in("out"), before);
}

TEST_F(TrainingVerb, ResumesIntoAnotherFolder) {
  ASSERT_EQ(train({"--steps", "4", "--checkpoint-every", "2", "-o", "out"}).code, ExitDone);
  const std::string older = "out/training/checkpoints/step_00000002.json";
  const Ran refused = train({"--steps", "6", "--resume=" + older, "-o", "out"});
  EXPECT_EQ(refused.code, ExitBadInput);
  EXPECT_THAT(refused.err, HasSubstr("step_00000004.json: is another checkpoint"));
  ASSERT_EQ(train({"--steps", "6", "--resume=" + older, "-o", "again"}).code, ExitDone);
  const Ran latest = train({"--steps", "4", "--resume=out", "-o", "other"});  // a results folder
  EXPECT_THAT(latest.err, HasSubstr("the checkpoint is of step 4, there is nothing to do"));
  ASSERT_EQ(train({"--steps", "6", "--resume", "-o", "out"}).code, ExitDone);
  const auto all = losses_in("out");
  EXPECT_THAT(losses_in("again"), SizeIs(1 + 4));
  EXPECT_EQ(losses_in("again").back(), all.back());
}

}  // namespace
}  // namespace pipegraph::test
