// Damaged model files: whatever is read must be a model or a positioned error, never a crash.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "models/model_reader.h"
#include "tests/support/text_mutations.h"

namespace pipegraph {
namespace {

constexpr std::string_view k_tokens[] = {"{",   "}",   "[",     "]",  ":",    ": ",     ",",
                                         "- ",  "#",   "'",     "\"", "&a",   "*a",     "!",
                                         "|",   "\n",  "\t",    "  ", "0",    "-1",     "1e9",
                                         "nan", "KiB", "GFLOP", "ms", "name", "inputs", "matmul"};

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
  test::TextMutator mutate(3, k_tokens);
  int errors = 0;
  int models = 0;
  for (const char* file : {"two_branches.yaml", "small_transformer.yaml", "small_mlp.yaml"}) {
    const std::string good = read_file(folder / file);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = mutate(good);
      (refused(text) ? errors : models) += 1;
    }
  }
  EXPECT_GT(errors, 500);
  EXPECT_GT(models, 100);
}

}  // namespace
}  // namespace pipegraph
