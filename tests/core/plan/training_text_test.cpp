// Training both ways.
#include "core/plan/training_text.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

Training read(const std::string& text) { return read_training(YamlValue::parse(text, "f")); }

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TrainingText, ReadsBackWhatItWrites) {
  for (const Precision precision :
       {Precision::Fp32, Precision::Fp32Tensor, Precision::Tf32, Precision::Fp16, Precision::Bf16})
    for (const Optimizer optimizer :
         {Optimizer::None, Optimizer::Sgd, Optimizer::Momentum, Optimizer::Adam}) {
      const Training training{7, precision, optimizer};
      EXPECT_EQ(read(to_yaml_text(training)), training);
    }
}

TEST(TrainingText, OnlyTheMiniBatchIsRequired) {
  EXPECT_EQ(read("{mini_batch: 64}"), (Training{64, Precision::Fp32, Optimizer::Sgd}));
  EXPECT_EQ(error_of("{precision: fp32}"),
            "f:1:1: missing key 'mini_batch'; expected training with 'mini_batch'");
}

TEST(TrainingText, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(error_of("{mini_batch: 0}"),
            "f:1:14: mini_batch: 0 is out of range; expected a whole number from 1 to 1073741824");
  EXPECT_EQ(error_of("{mini_batch: 1073741825}"),
            "f:1:14: mini_batch: 1073741825 is out of range; expected a whole number from 1 to "
            "1073741824");
  EXPECT_EQ(error_of("{mini_batch: 1, precision: fp64}"),
            "f:1:28: precision: unknown value 'fp64'; expected 'fp32' (or one of fp32, "
            "fp32_tensor, tf32, fp16, bf16)");
  EXPECT_EQ(error_of("{mini_batch: 1, optimiser: sgd}"),
            "f:1:17: optimiser: unknown key in training; expected 'optimizer' (or one of "
            "mini_batch, precision, optimizer)");
}

}  // namespace
}  // namespace pipegraph
