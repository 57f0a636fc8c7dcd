// The loop logs every step, validates, writes checkpoints, stops when asked, and continues exactly.
#include "exec/training/training_loop.h"

#include <gmock/gmock.h>

#include "core/base/errors.h"
#include "exec/training/checkpoint_folder.h"
#include "exec/training/resume.h"
#include "exec/training/training_folder.h"
#include "tests/exec/training/fake_runner.h"
#include "tests/exec/training/file_size_limit.h"
#include "tests/exec/training/scratch_folder.h"
#include "tests/exec/training/thread_ranks.h"

namespace pipegraph {
namespace {

using test::FakeData;
using test::FakeRunner;
using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int32_t k_mini_batch = 4;

TrainingPoint beginning() {
  return {.mini_batch = k_mini_batch,
          .optimizer = Optimizer::Momentum,
          .settings = {.learning_rate = 0.05, .momentum = 0.9},
          .data = "fake"};
}

class TrainingLoop : public test::ScratchFolder {
 protected:
  TrainingParts parts(FakeRunner& runner) {
    return {.runner = runner, .ranks = single_, .data = data_, .validation = &data_};
  }
  TrainingOptions options(std::int64_t steps) const {
    return {.steps = steps, .checkpoint_every = 2, .checkpoints = folder() / "checkpoints"};
  }
  /// Trains with a log in the folder.
  TrainingPoint train_logged(TrainingParts parts, const TrainingPoint& start,
                             const TrainingOptions& options) const {
    LossLog log(folder() / "loss.csv", {start.step, {"a", "b", "c"}});
    parts.log = &log;
    return train(parts, start, options);
  }
  /// Continues from the latest checkpoint until `steps`.
  void continue_until(std::int64_t steps, FakeRunner& runner) {
    const auto manifest = find_manifest(folder() / "checkpoints");
    const TrainingPoint start =
        resume(read_manifest(manifest), beginning(), runner.state(), single_);
    train_logged(parts(runner), start, options(steps));
  }
  std::string log() const { return read_file(folder() / "loss.csv"); }

  SingleRank single_;
  FakeData data_;
};

/// Rows without the column of seconds, which differ from run to run.
std::vector<std::string> rows_without_seconds(const std::string& log) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at);
    std::string row = log.substr(at, end - at);
    std::size_t comma = 0;
    for (int i = 0; i < 4; ++i) comma = row.find(',', comma) + 1;
    rows.push_back(row.erase(comma, row.find(',', comma) - comma));
    at = end + 1;
  }
  return rows;
}

TEST_F(TrainingLoop, LogsStepsSamplesAndTheSumOfTheLosses) {
  FakeRunner runner(k_mini_batch);
  const TrainingPoint end = train_logged(parts(runner), beginning(), options(3));
  EXPECT_EQ(end.step, 3);
  EXPECT_EQ(end.samples, 3 * k_mini_batch);
  const auto rows = rows_without_seconds(log());
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[0], "step,samples,loss,validation_loss,,loss_a,loss_b,loss_c");
  EXPECT_THAT(rows[1], ::testing::StartsWith("1,4,"));
  EXPECT_THAT(rows[3], ::testing::StartsWith("3,12,"));
  // By hand: samples 1, 1/2, 1/3, 1/4 have mean 25/48 and mean square 205/576. So the losses of
  // w = 1, -2, 0.5 are w^2 - 2 w 25/48 + 205/576.
  const auto loss = [](double w) { return w * w - 2 * w * 25 / 48 + 205.0 / 576; };
  double step, samples, total, a, b, c;
  ASSERT_EQ(std::sscanf(rows[1].c_str(), "%lf,%lf,%lf,,,%lf,%lf,%lf", &step, &samples, &total, &a,
                        &b, &c),
            6);
  EXPECT_NEAR(a, loss(1), 1e-6);
  EXPECT_NEAR(b, loss(-2), 1e-5);
  EXPECT_NEAR(c, loss(0.5), 1e-6);
  EXPECT_NEAR(total, a + b + c, 1e-12);
}

TEST_F(TrainingLoop, GivesEachStepItsOwnSamples) {
  FakeRunner runner(k_mini_batch);
  train_logged(parts(runner), beginning(), options(3));
  ASSERT_THAT(runner.orders, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runner.orders[i].step, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(runner.orders[i].first_sample, static_cast<std::int64_t>(i) * k_mini_batch);
    EXPECT_EQ(runner.orders[i].optimizer, beginning().settings);
  }
}

TEST_F(TrainingLoop, ContinuesToTheSameBitsAsWithoutInterruption) {
  FakeRunner whole(k_mini_batch);
  train_logged(parts(whole), beginning(), options(7));
  const auto expected = rows_without_seconds(log());
  std::filesystem::remove_all(folder() / "checkpoints");

  FakeRunner first(k_mini_batch), second(k_mini_batch);
  train_logged(parts(first), beginning(), options(3));
  continue_until(7, second);
  EXPECT_EQ(second.state().values(), whole.state().values());
  EXPECT_EQ(rows_without_seconds(log()), expected);
}

TEST_F(TrainingLoop, DropsLoggedStepsThatNoCheckpointHolds) {
  FakeRunner first(k_mini_batch), second(k_mini_batch);
  first.diverges_at = 4;
  EXPECT_THROW(train_logged(parts(first), beginning(), options(9)), MachineError);
  // Steps 1 to 3 are logged, the checkpoint is of step 2; half a row comes from a kill.
  write_file(folder() / "loss.csv", log() + "4,16,0.5");
  continue_until(4, second);
  FakeRunner whole(k_mini_batch);
  const auto continued = rows_without_seconds(log());
  std::filesystem::remove_all(folder() / "checkpoints");
  train_logged(parts(whole), beginning(), options(4));
  EXPECT_EQ(continued, rows_without_seconds(log()));
}

TEST_F(TrainingLoop, WritesCheckpointsOfTheLastStepToo) {
  FakeRunner runner(k_mini_batch);
  train_logged(parts(runner), beginning(), options(5));
  std::vector<std::string> names;
  for (const auto& manifest : manifests_in(folder() / "checkpoints"))
    names.push_back(manifest.filename());
  EXPECT_THAT(names, ElementsAre("step_00000005.json", "step_00000004.json"));
}

TEST_F(TrainingLoop, WritesNoCheckpointsUnlessAsked) {
  FakeRunner runner(k_mini_batch);
  train_logged(parts(runner), beginning(), {.steps = 3});
  EXPECT_FALSE(std::filesystem::exists(folder() / "checkpoints"));
}

TEST_F(TrainingLoop, HasNothingToDoAfterTheLastStep) {
  FakeRunner first(k_mini_batch), second(k_mini_batch);
  train_logged(parts(first), beginning(), options(4));
  const std::string before = log();
  continue_until(4, second);
  continue_until(3, second);
  EXPECT_THAT(second.orders, SizeIs(0));
  EXPECT_EQ(log(), before);
}

TEST_F(TrainingLoop, EndsAfterTheStepInWhichItIsAskedTo) {
  FakeRunner runner(k_mini_batch);
  TrainingParts stopping = parts(runner);
  stopping.stop = [&] { return runner.orders.size() == 3; };
  EXPECT_EQ(train_logged(stopping, beginning(), options(100)).step, 3);
  EXPECT_EQ(read_manifest(find_manifest(folder() / "checkpoints")).point.step, 3);
}

TEST_F(TrainingLoop, GivesAValidationUpWhenAskedToStopWithinIt) {
  FakeRunner runner(k_mini_batch);
  TrainingParts stopping = parts(runner);
  // Two steps, and two of the ten mini-batches of the validation after the second.
  stopping.stop = [&] { return runner.orders.size() == 4; };
  TrainingOptions validating = options(100);
  validating.validate_every = 2;
  validating.validation_batches = 10;
  EXPECT_EQ(train_logged(stopping, beginning(), validating).step, 2);
  EXPECT_THAT(runner.orders, SizeIs(4));
  EXPECT_THAT(rows_without_seconds(log())[2], HasSubstr(",,")) << "no validation loss";
  EXPECT_EQ(read_manifest(find_manifest(folder() / "checkpoints")).point.step, 2);
}

TEST_F(TrainingLoop, EndsOnAllRanksAfterTheSameStep) {
  std::vector<std::int64_t> ended(3);
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    FakeRunner runner(k_mini_batch);
    const TrainingParts stopping{.runner = runner, .ranks = ranks, .data = data_, .stop = [&] {
                                   return ranks.rank() == 1 && runner.orders.size() == 5;
                                 }};
    ended[static_cast<std::size_t>(ranks.rank())] =
        train(stopping, beginning(), {.steps = 50}).step;
  });
  EXPECT_THAT(ended, ElementsAre(5, 5, 5));
}

TEST_F(TrainingLoop, NamesTheStepWhoseLossIsNotFiniteAndKeepsTheCheckpoints) {
  FakeRunner runner(k_mini_batch);
  runner.diverges_at = 5;
  EXPECT_THAT(
      message_of<MachineError>([&] { train_logged(parts(runner), beginning(), options(9)); }),
      AllOf(HasSubstr("the loss of step 5 is nan"), HasSubstr("--learning-rate")));
  EXPECT_EQ(read_manifest(find_manifest(folder() / "checkpoints")).point.step, 4);
  EXPECT_THAT(rows_without_seconds(log()), SizeIs(1 + 4));
}

TEST_F(TrainingLoop, ValidatesWithoutTouchingTheState) {
  FakeRunner plain(k_mini_batch), validated(k_mini_batch);
  train_logged(parts(plain), beginning(), {.steps = 5});
  train_logged(
      parts(validated), beginning(),
      {.steps = 5, .validate_every = 2, .validation_batches = 3, .first_validation_sample = 1000});
  EXPECT_EQ(validated.state().values(), plain.state().values());
  std::vector<std::int64_t> validation_samples;
  for (const StepOrder& order : validated.orders)
    if (order.kind == StepKind::Evaluate) validation_samples.push_back(order.first_sample);
  // After steps 2, 4 and the last.
  EXPECT_THAT(validation_samples,
              ElementsAre(1000, 1004, 1008, 1000, 1004, 1008, 1000, 1004, 1008));
  const auto rows = rows_without_seconds(log());
  EXPECT_THAT(rows[1], HasSubstr(",,"));
  EXPECT_THAT(rows[2], ::testing::Not(HasSubstr(",,,")));
}

TEST_F(TrainingLoop, LogsTheMeanOfTheValidationLoss) {
  FakeRunner runner(k_mini_batch), same(k_mini_batch);
  train_logged(parts(runner), beginning(),
               {.steps = 1, .validate_every = 1, .validation_batches = 2});
  same.state().values() = runner.state().values();
  double expected = 0.0;
  for (const std::int64_t first : {0, 4})
    for (const LossValue& value :
         same.run({.kind = StepKind::Evaluate, .first_sample = first, .data = &data_}))
      expected += value.mean / 2;
  double step, samples, loss, validation;
  ASSERT_EQ(std::sscanf(rows_without_seconds(log())[1].c_str(), "%lf,%lf,%lf,%lf", &step, &samples,
                        &loss, &validation),
            4);
  EXPECT_NEAR(validation, expected, 1e-12 * expected);
}

TEST_F(TrainingLoop, RefusesALogOfAnotherNetwork) {
  FakeRunner first(k_mini_batch), second(k_mini_batch);
  train_logged(parts(first), beginning(), options(2));
  write_file(folder() / "loss.csv", "step,samples,loss,validation_loss,seconds\n1,4,0.5,,0.1\n");
  EXPECT_THAT(message_of<ConfigError>([&] { continue_until(4, second); }),
              AllOf(HasSubstr("loss.csv:1"), HasSubstr("loss_a")));
}

TEST_F(TrainingLoop, RefusesALogThatIsNoFile) {
  std::filesystem::create_symlink("/dev/full", folder() / "loss.csv");
  EXPECT_THAT(message_of<ConfigError>([&] { LossLog(folder() / "loss.csv", {.step = 2}); }),
              HasSubstr("is not a regular file"));
}

TEST_F(TrainingLoop, LogsWholeRowsOnlyOnAFullDisk) {
  LossLog log(folder() / "loss.csv", {});
  log.append({.step = 1, .samples = 8, .loss = 0.5, .time = Seconds{0.25}});
  const std::string before = this->log();
  {
    const test::FileSizeLimit limit(before.size() + 3);
    EXPECT_THAT(message_of<MachineError>([&] { log.append({.step = 2, .samples = 16}); }),
                HasSubstr("loss.csv: cannot be written"));
  }
  EXPECT_EQ(this->log(), before);
  EXPECT_EQ(before, "step,samples,loss,validation_loss,seconds\n1,8,0.5,,0.250000\n");
}

TEST_F(TrainingLoop, ResumesOnlyTheSameCheckpointOnAllRanks) {
  FakeRunner runner(k_mini_batch);
  train_logged(parts(runner), beginning(), options(4));
  const auto manifests = manifests_in(folder() / "checkpoints");
  std::vector<std::string> errors(2);
  test::ThreadRanks::run(2, [&](Ranks& ranks) {
    FakeRunner mine(k_mini_batch);
    const auto rank = static_cast<std::size_t>(ranks.rank());
    errors[rank] = message_of<ConfigError>(
        [&] { resume(read_manifest(manifests[rank]), beginning(), mine.state(), ranks); });
  });
  for (const std::string& error : errors)
    EXPECT_THAT(error, AllOf(HasSubstr("rank 0 sees step 4"), HasSubstr("rank 1 step 2")));
}

class TrainingFolders : public test::ScratchFolder {};

TEST_F(TrainingFolders, BelongToOneRunAtATime) {
  const TrainingFolder held(path("t"), {});
  EXPECT_THAT(message_of<ConfigError>([&] { TrainingFolder(path("t"), {}); }),
              HasSubstr("another run"));
}

TEST_F(TrainingFolders, AreNotOverwrittenByAnotherTraining) {
  FakeRunner runner(k_mini_batch);
  FakeData data;
  SingleRank single;
  train({.runner = runner, .ranks = single, .data = data}, beginning(),
        {.steps = 4, .checkpoint_every = 2, .checkpoints = folder() / "checkpoints"});
  const auto manifests = manifests_in(folder() / "checkpoints");
  EXPECT_THAT(message_of<ConfigError>([&] { TrainingFolder(folder(), {}); }),
              AllOf(HasSubstr("step_00000004.json"), HasSubstr("--resume")));
  EXPECT_THAT(message_of<ConfigError>([&] { TrainingFolder(folder(), manifests[1]); }),
              HasSubstr("would be lost"));
  const TrainingFolder continued(folder(), manifests[0]);
}

}  // namespace
}  // namespace pipegraph
