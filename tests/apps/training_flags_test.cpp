// Flags of training: what they mean, and that none is taken in silence that has no effect.
#include "apps/training_flags.h"

#include <gmock/gmock.h>

#include "core/base/errors.h"

namespace pipegraph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TrainingFlags parsed(const std::vector<std::string>& words,
                     Optimizer optimizer = Optimizer::Momentum) {
  Options options({.verb = "run", .synopsis = "", .about = "", .examples = ""});
  add_training_options(options);
  return training_flags(options.parse(words, {}).value(), optimizer);
}

std::string error_of(const std::vector<std::string>& words,
                     Optimizer optimizer = Optimizer::Momentum) {
  try {
    parsed(words, optimizer);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(TrainingFlags, LeaveWhatIsNotGivenToTheCheckpoint) {
  const TrainingFlags flags = parsed({});
  EXPECT_FALSE(flags.seed || flags.data || flags.resume);
  EXPECT_EQ(flags.checkpoint_every, 0);
  const OptimizerSettings base{.learning_rate = 0.3, .momentum = 0.5};
  EXPECT_EQ(with_flags(base, flags), base);
  const OptimizerSettings changed = with_flags(base, parsed({"--learning-rate", "0.25"}));
  EXPECT_EQ(changed, (OptimizerSettings{.learning_rate = 0.25, .momentum = 0.5}));
}

TEST(TrainingFlags, TakeWhatIsNotGivenFromTheCheckpoint) {
  const TrainingHabits saved{.data_file = "/d.csv",
                             .checkpoint_every = 4,
                             .validate_every = 3,
                             .validation_file = "/v.csv",
                             .validation_batches = 2};
  const TrainingFlags same = continuing(parsed({"--resume"}), saved);
  EXPECT_EQ(same.data, "/d.csv");
  EXPECT_EQ(same.checkpoint_every, 4);
  EXPECT_EQ(same.validate_every, 3);
  EXPECT_EQ(same.validation_data, "/v.csv");
  EXPECT_EQ(same.validation_batches, 2);
  const TrainingFlags other = continuing(
      parsed({"--resume", "--checkpoint-every", "9", "--validation-data", "w.csv"}), saved);
  EXPECT_EQ(other.checkpoint_every, 9);
  EXPECT_EQ(other.validation_data, "w.csv");
  EXPECT_FALSE(other.validation_batches) << "is of the other file";
}

TEST(TrainingFlags, ResumeWithAndWithoutAPath) {
  EXPECT_TRUE(parsed({"--resume"}).resume);
  EXPECT_EQ(parsed({"--resume", "--seed", "4"}).resume_from, "");
  EXPECT_EQ(parsed({"--resume=old/step_00000004.json"}).resume_from, "old/step_00000004.json");
}

TEST(TrainingFlags, RefuseNumbersThatMakeNoSense) {
  EXPECT_THAT(error_of({"--validate-every", "-3"}),
              AllOf(HasSubstr("--validate-every: -3"), HasSubstr("at least 1")));
  EXPECT_THAT(error_of({"--validate-every", "many"}), HasSubstr("--validate-every"));
  EXPECT_THAT(error_of({"--seed", "99999999999999999999"}), HasSubstr("--seed"));
  EXPECT_THAT(error_of({"--validate-every", "1", "--validation-batches", "99999999999"}),
              AllOf(HasSubstr("--validation-batches"), HasSubstr("1 to 16777216")));
  EXPECT_THAT(error_of({"--seed", "-1"}), HasSubstr("--seed: -1"));
  EXPECT_THAT(error_of({"--checkpoint-every", "0"}), HasSubstr("--checkpoint-every: 0"));
  for (const std::string rate : {"0", "-0.1", "nan", "inf", "1e999"})
    EXPECT_THAT(error_of({"--learning-rate", rate}), HasSubstr("--learning-rate")) << rate;
  for (const std::string factor : {"-0.1", "1", "1.5", "nan"})
    EXPECT_THAT(error_of({"--momentum", factor}), HasSubstr("--momentum")) << factor;
}

TEST(TrainingFlags, RefuseWhatTheOptimizerDoesNotUse) {
  EXPECT_THAT(error_of({"--momentum", "0.5"}, Optimizer::Adam),
              AllOf(HasSubstr("--momentum: the optimizer is adam"), HasSubstr("momentum")));
  EXPECT_THAT(error_of({"--epsilon", "1e-6"}, Optimizer::Sgd), HasSubstr("--epsilon"));
  EXPECT_THAT(error_of({"--learning-rate", "1"}, Optimizer::None), HasSubstr("is none"));
  EXPECT_EQ(parsed({"--first-moment-decay", "0.8"}, Optimizer::Adam).first_moment_decay, 0.8);
}

TEST(TrainingFlags, RefuseValidationWithoutSamplesOrWithoutUse) {
  EXPECT_THAT(error_of({"--validation-data", "v.csv"}), HasSubstr("--validate-every"));
  EXPECT_THAT(error_of({"--validation-batches", "2"}), HasSubstr("--validate-every"));
  EXPECT_THAT(error_of({"--validate-every", "2", "--data", "d.csv"}),
              HasSubstr("--validation-data"));
  EXPECT_EQ(parsed({"--validate-every", "2"}).validate_every, 2);
  EXPECT_THAT(error_of({"--data", ""}), HasSubstr("--data: is empty"));
}

}  // namespace
}  // namespace pipegraph
