// What a checkpoint holds, who may use it, and that no damage goes unnoticed.
#include "exec/training/checkpoint.h"

#include <gmock/gmock.h>

#include "core/base/errors.h"
#include "exec/training/checkpoint_folder.h"
#include "tests/exec/training/fake_state.h"
#include "tests/exec/training/scratch_folder.h"
#include "tests/exec/training/thread_ranks.h"

namespace pipegraph {
namespace {

using test::FakeState;
using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<StateTensor> k_tensors{
    {"fc/weight", {2, 3}}, {"fc/bias", {1, 3}}, {"fc/weight", {2, 3}, StateRole::Copy}};

TrainingPoint point_at(std::int64_t step) {
  return {.step = step,
          .samples = 8 * step,
          .seed = 7,
          .mini_batch = 8,
          .optimizer = Optimizer::Momentum,
          .settings = {.learning_rate = 0.1, .momentum = 1.0 / 3.0},
          .data = "synthetic",
          .habits = {.data_file = "/d.csv",
                     .data_crc = "01234567",
                     .checkpoint_every = 5,
                     .validate_every = 6,
                     .validation_file = "/v.csv",
                     .validation_batches = 2},
          .model = {{"x: input() rows 1, columns 2", "fc: linear(x) rows 1, columns 3, bias"}}};
}

class Checkpoints : public test::ScratchFolder {
 protected:
  void write(std::int64_t step) const {
    FakeState state(k_tensors);
    state.fill(static_cast<float>(1000 * step));
    SingleRank single;
    write_checkpoint(folder(), point_at(step), state, single);
  }
  std::vector<std::string> manifests() const {
    std::vector<std::string> names;
    for (const auto& path : manifests_in(folder())) names.push_back(path.filename());
    return names;
  }
  std::filesystem::path only_tensors_of(std::int64_t step) const {
    return path(read_manifest(path(fmt::format("step_{:08}.json", step))).files.at(0));
  }
  std::string error_of_restoring() const {
    return message_of<ConfigError>([&] {
      FakeState state(k_tensors);
      restore(read_manifest(find_manifest(folder())), state);
    });
  }
};

TEST_F(Checkpoints, RestoreEveryCopyOfEveryTensor) {
  write(3);
  FakeState state(k_tensors);
  restore(read_manifest(find_manifest(folder())), state);
  EXPECT_THAT(state.values()[0], ElementsAre(3000, 3001, 3002, 3003, 3004, 3005));
  EXPECT_THAT(state.values()[1], ElementsAre(3100, 3101, 3102));
  EXPECT_EQ(state.values()[2], state.values()[0]);
}

TEST_F(Checkpoints, RememberWhereTrainingStood) {
  write(3);
  const TrainingPoint point = read_manifest(find_manifest(folder())).point;
  EXPECT_EQ(point.step, 3);
  EXPECT_EQ(point.samples, 24);
  EXPECT_EQ(point.seed, 7);
  EXPECT_EQ(point.mini_batch, 8);
  EXPECT_EQ(point.optimizer, Optimizer::Momentum);
  EXPECT_EQ(point.settings, point_at(3).settings);
  EXPECT_EQ(point.data, "synthetic");
  EXPECT_EQ(point.habits, point_at(3).habits);
  EXPECT_EQ(point.model, point_at(3).model);
}

TEST_F(Checkpoints, KeepTheLastTwoAndNothingElse) {
  for (const std::int64_t step : {2, 4, 6, 8}) write(step);
  EXPECT_THAT(manifests(), ElementsAre("step_00000008.json", "step_00000006.json"));
  EXPECT_EQ(files_in(folder()), 4);
}

TEST_F(Checkpoints, ReplaceOneOfTheSameStep) {
  write(2);
  write(4);
  const auto before = only_tensors_of(4);
  write(4);
  EXPECT_THAT(manifests(), ElementsAre("step_00000004.json", "step_00000002.json"));
  EXPECT_NE(only_tensors_of(4), before);
  EXPECT_EQ(files_in(folder()), 4);
}

TEST_F(Checkpoints, RemoveWhatACutOffAttemptLeft) {
  write(2);
  write_file(path("step_00000004-0.0.tensors"), "half");
  write_file(path("step_00000004-1.0.tensors.tmp123"), "half");
  write_file(path("notes.txt"), "the user's own");
  write(4);
  EXPECT_EQ(files_in(folder()), 5);
  EXPECT_TRUE(std::filesystem::exists(path("notes.txt")));
}

TEST_F(Checkpoints, NameEveryFlippedBit) {
  write(2);
  const auto manifest = find_manifest(folder());
  const std::size_t bytes = read_file(manifest).size();
  for (std::size_t place = 0; place < bytes; ++place) {
    test::damage(manifest, static_cast<std::ptrdiff_t>(place));
    EXPECT_THAT(error_of_restoring(), HasSubstr("step_00000002.json")) << place;
    test::damage(manifest, static_cast<std::ptrdiff_t>(place));
  }
  test::damage(only_tensors_of(2), -1);
  EXPECT_THAT(error_of_restoring(), AllOf(HasSubstr(".0.tensors"), HasSubstr("'fc/bias'"),
                                          HasSubstr("damaged"), HasSubstr("--resume=FILE")));
}

TEST_F(Checkpoints, NameMissingFiles) {
  EXPECT_THAT(message_of<ConfigError>([&] { find_manifest(folder()); }),
              HasSubstr("holds no checkpoint"));
  EXPECT_THAT(message_of<ConfigError>([&] { find_manifest(path("absent")); }),
              HasSubstr("holds no checkpoint"));
  write(2);
  std::filesystem::remove(only_tensors_of(2));
  EXPECT_THAT(error_of_restoring(), AllOf(HasSubstr(".0.tensors"), HasSubstr("cannot be read")));
}

TEST_F(Checkpoints, RefuseToReadOutsideTheirFolder) {
  Checkpoint checkpoint{.point = point_at(1), .files = {"../secret"}};
  write_file(path("step_00000001.json"), manifest_text(checkpoint));
  EXPECT_THAT(error_of_restoring(), HasSubstr("files[0]"));
}

TEST_F(Checkpoints, AreRefusedByWhatDiffersInTheModel) {
  const Checkpoint checkpoint{.manifest = "c.json", .point = point_at(1)};
  TrainingPoint present = point_at(1);
  check_fits(checkpoint, present);
  present.model.operators[1] = "fc: linear(x) rows 1, columns 4, bias";
  EXPECT_THAT(message_of<ConfigError>([&] { check_fits(checkpoint, present); }),
              AllOf(HasSubstr("c.json: is of another model: operator 'fc'"), HasSubstr("columns 3"),
                    HasSubstr("columns 4")));
  present.model.operators = {present.model.operators[0], "fd: linear(x) rows 1, columns 3, bias"};
  EXPECT_THAT(message_of<ConfigError>([&] { check_fits(checkpoint, present); }),
              AllOf(HasSubstr("'fc' of the checkpoint"), HasSubstr("'fd' of this model")));
}

TEST_F(Checkpoints, AreRefusedWithAnotherOptimizer) {
  const Checkpoint checkpoint{.manifest = "c.json", .point = point_at(1)};
  TrainingPoint present = point_at(1);
  present.optimizer = Optimizer::Adam;
  EXPECT_THAT(message_of<ConfigError>([&] { check_fits(checkpoint, present); }),
              AllOf(HasSubstr("optimizer momentum"), HasSubstr("adam")));
}

TEST_F(Checkpoints, AreRefusedWithAnotherShapeOrName) {
  write(2);
  const Checkpoint checkpoint = read_manifest(find_manifest(folder()));
  FakeState wider({{"fc/weight", {3, 3}}});
  EXPECT_THAT(message_of<ConfigError>([&] { restore(checkpoint, wider); }),
              AllOf(HasSubstr("'fc/weight' is [2, 3]"), HasSubstr("[3, 3]")));
  FakeState other({{"fc/gain", {1, 3}}});
  EXPECT_THAT(message_of<ConfigError>([&] { restore(checkpoint, other); }),
              HasSubstr("has no tensor 'fc/gain'"));
}

/// Rank r of 3 owns tensor "t<r>" of two elements and holds a copy of "t0"; rank 2 owns nothing.
FakeState state_of_rank(int rank) {
  std::vector<StateTensor> tensors{{"t0", {2}, rank == 0 ? StateRole::Owner : StateRole::Copy}};
  if (rank == 1) tensors.push_back({"t1", {2}});
  return FakeState(tensors);
}

TEST_F(Checkpoints, AreWrittenByAllRanksAndReadUnderAnotherDivision) {
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    FakeState state = state_of_rank(ranks.rank());
    state.fill(static_cast<float>(10 * ranks.rank()));
    write_checkpoint(folder(), point_at(5), state, ranks);
  });
  const Checkpoint checkpoint = read_manifest(find_manifest(folder()));
  EXPECT_EQ(checkpoint.files.size(), 2);
  FakeState state({{"t1", {2}}, {"t0", {2}}});
  restore(checkpoint, state);
  EXPECT_THAT(state.values()[0], ElementsAre(110, 111));
  EXPECT_THAT(state.values()[1], ElementsAre(0, 1));
}

/// Fails like a device would.
class BrokenState final : public TrainingState {
 public:
  const std::vector<StateTensor>& tensors() const override { return tensors_; }
  void read(std::size_t, std::span<float>) const override { throw MachineError("device is gone"); }
  void write(std::size_t, std::span<const float>) override {}

 private:
  std::vector<StateTensor> tensors_{{"t1", {2}}};
};

TEST_F(Checkpoints, FailOnAllRanksWhenOneFailsAndKeepTheOlderOne) {
  write(2);
  std::vector<std::string> errors(3);
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    FakeState state = state_of_rank(ranks.rank());
    const BrokenState broken;
    const TrainingState& chosen =
        ranks.rank() == 1 ? static_cast<const TrainingState&>(broken) : state;
    errors[static_cast<std::size_t>(ranks.rank())] =
        message_of<MachineError>([&] { write_checkpoint(folder(), point_at(4), chosen, ranks); });
  });
  for (const std::string& error : errors)
    EXPECT_THAT(error, AllOf(HasSubstr("step 4"), HasSubstr("rank 1: device is gone")));
  EXPECT_THAT(manifests(), ElementsAre("step_00000002.json"));
  EXPECT_EQ(files_in(folder()), 2);
}

}  // namespace
}  // namespace pipegraph
