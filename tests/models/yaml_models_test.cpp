// The model files that ship with the project.
#include <gtest/gtest.h>

#include <filesystem>
#include <variant>

#include "core/graph/series_parallel.h"
#include "models/model_reader.h"

namespace pipegraph {
namespace {

ComputationGraph load(const std::filesystem::path& file) {
  return read_model(YamlValue::load(file), Precision::Fp32);
}

std::filesystem::path models() { return std::filesystem::path(PIPEGRAPH_SOURCE_DIR) / "models"; }

TEST(YamlModels, AreAllReadableAndNamedLikeTheirFiles) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models())) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(load(entry.path()).name(), entry.path().stem().string());
    ++files;
  }
  EXPECT_GE(files, 5);
}

TEST(YamlModels, TwoBranchesHoldTheirJoinInTheFirst) {
  const ComputationGraph graph = load(models() / "two_branches.yaml");
  const auto tree = std::get<SeriesParallelTree>(decompose_series_parallel(graph.edges()));
  EXPECT_EQ(to_text(tree), "((0 1 2 | 3 4 5 6) 7)");
}

TEST(YamlModels, CrossingSkipsAreNotSeriesParallel) {
  const ComputationGraph graph = load(models() / "crossing_skips.yaml");
  const auto answer = std::get<NotSeriesParallel>(decompose_series_parallel(graph.edges()));
  EXPECT_EQ(graph.at({answer.from}).name, "s1");
  EXPECT_EQ(graph.at({answer.to}).name, "s2");
}

}  // namespace
}  // namespace pipegraph
