#include "models/model_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/errors.h"
#include "core/base/files.h"
#include "models/table.h"

namespace pipegraph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ComputationGraph read(const std::string& text) {
  return read_model(YamlValue::parse(text, "s.yaml"), Precision::Fp32);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ModelReader, BuildsAFamilyWithItsParameters) {
  const auto graph = read("{family: mlp, layers: 2, hidden: 8, bias: false, activation: gelu}");
  const auto expected =
      build_family("mlp", {{"layers", 2}, {"hidden", 8}, {"bias", 0}, {"activation", 1}});
  EXPECT_EQ(graph.name(), "mlp");
  EXPECT_EQ(graph.size(), expected.size());
  EXPECT_EQ(graph.parameters(), expected.parameters());
  EXPECT_EQ(graph.at({1}).internal, Bytes{32});
}

TEST(ModelReader, SizesFamiliesByPrecisionAndLeavesOperatorsAsGiven) {
  const auto size = [](const std::string& text, Precision precision) {
    return read_model(YamlValue::parse(text, "s.yaml"), precision).parameters().count;
  };
  const std::string family = "{family: mlp, layers: 1, hidden: 8}";
  EXPECT_EQ(size(family, Precision::Fp32), 2 * size(family, Precision::Fp16));
  const std::string list = "{operators: [{name: a, parameters: 8 B}]}";
  EXPECT_EQ(size(list, Precision::Fp16), 8u);
}

TEST(ModelReader, ReadsOperatorsInPlace) {
  const auto graph = read("name: mine\noperators:\n  - {name: a, forward: 1 s}\n");
  EXPECT_EQ(graph.name(), "mine");
  EXPECT_EQ(graph.at({0}).position.line, 3);
}

TEST(ModelReader, RefusesUnknownKeysAndFamilies) {
  EXPECT_THAT(error_of("{family: mpl}"), HasSubstr("'mlp'"));
  EXPECT_THAT(error_of("{family: mlp, layer: 3}"),
              AllOf(HasSubstr("s.yaml:1:"), HasSubstr("'layers'")));
  EXPECT_THAT(error_of("{famly: mlp}"), HasSubstr("'family'"));
  EXPECT_THAT(error_of("{family: mlp, operators: []}"), HasSubstr("beside 'family'"));
  EXPECT_THAT(error_of("{name: a}"),
              HasSubstr("without 'family', 'file', 'import' or 'operators'"));
  EXPECT_THAT(error_of("mlp"), HasSubstr("s.yaml:1:"));
}

TEST(ModelReader, RefusesImpossibleParametersWhereTheyStand) {
  EXPECT_THAT(error_of("{family: mlp, hidden: -1}"), HasSubstr("s.yaml:1:"));
  EXPECT_THAT(error_of("{family: mlp, layers: 1e9}"), HasSubstr("s.yaml:1:"));
  EXPECT_THAT(error_of("{family: mlp, layers: 1000000000}"), HasSubstr("200000 operators"));
  EXPECT_THAT(error_of("{family: mlp, bias: 2}"), HasSubstr("s.yaml:1:"));
  EXPECT_THAT(error_of("{family: mlp, activation: swish}"), HasSubstr("relu"));
  EXPECT_THAT(error_of("{family: gpt, heads: 5}"), HasSubstr("s.yaml:1:1"));
}

/// A folder of model files, removed after the test.
class ModelFiles : public ::testing::Test {
 protected:
  ModelFiles()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("pipegraph_model_files_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_ / "inner");
  }
  ~ModelFiles() override { std::filesystem::remove_all(folder_); }

  ComputationGraph load(const std::string& name) const {
    return read_model(YamlValue::load(folder_ / name), Precision::Fp32);
  }

  std::filesystem::path folder_;
};

TEST_F(ModelFiles, AreFollowedRelativeToWhereTheyAreNamed) {
  write_file(folder_ / "outer.yaml", "{file: inner/model.yaml, hidden: 16}\n");
  write_file(folder_ / "inner" / "model.yaml", "{file: base.yaml, layers: 3}\n");
  write_file(folder_ / "inner" / "base.yaml", "{family: mlp, layers: 2, hidden: 8}\n");

  const ComputationGraph graph = load("outer.yaml");
  EXPECT_EQ(graph.size(), 3u + 3);  // three layers; input, output, loss
  EXPECT_EQ(graph.at({2}).parameters.count, 4u * (16 * 16 + 16));
}

TEST_F(ModelFiles, ThatNameEachOtherAreAnError) {
  write_file(folder_ / "a.yaml", "{file: b.yaml}\n");
  write_file(folder_ / "b.yaml", "{file: a.yaml}\n");
  EXPECT_THROW(load("a.yaml"), ConfigError);
}

TEST_F(ModelFiles, ThatAreMissingOrNoModelAreAnError) {
  write_file(folder_ / "missing.yaml", "{file: nowhere.yaml}\n");
  write_file(folder_ / "list.yaml", "[1, 2]\n");
  write_file(folder_ / "to_list.yaml", "{file: list.yaml}\n");
  EXPECT_THROW(load("missing.yaml"), ConfigError);
  EXPECT_THROW(load("to_list.yaml"), ConfigError);
}

}  // namespace
}  // namespace pipegraph
