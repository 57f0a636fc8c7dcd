// Damaged model files: whatever is read must be a model or a positioned error, never a crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "models/model_reader.h"

namespace pipegraph {
namespace {

const std::string k_alphabet = "{}[]:,-#'\"&*!| \n\t0123456789eBKiGs.xyz";

/// A few random characters replaced, inserted or removed, or a stretch of the text repeated.
std::string mutate(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = k_alphabet[below(k_alphabet.size())];
        break;
      case 1:
        text.insert(at, 1, k_alphabet[below(k_alphabet.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(5));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), 1 + below(30)));
        break;
    }
    if (text.empty()) text = "x";
  }
  return text;
}

/// Returns whether the text was refused; any other exception fails the test.
bool refused(const std::string& text) {
  try {
    read_model(YamlValue::parse(text, "mutated.yaml"), Precision::Fp32);
    return false;
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find("mutated.yaml"), 0u) << error.what();
    return true;
  }
}

TEST(ModelMutations, GiveAModelOrAPositionedError) {
  const auto folder = std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "models";
  std::mt19937 random(3);
  int errors = 0;
  int models = 0;
  for (const char* file : {"two_branches.yaml", "small_transformer.yaml", "small_mlp.yaml"}) {
    const std::string good = read_file(folder / file);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = mutate(good, random);
      (refused(text) ? errors : models) += 1;
    }
  }
  EXPECT_GT(errors, 500);
  EXPECT_GT(models, 100);
}

}  // namespace
}  // namespace pipegraph
