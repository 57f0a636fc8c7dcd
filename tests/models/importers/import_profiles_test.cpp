// The published profiles, where the folder is there: sizes and totals that their own tools report.
#include <gtest/gtest.h>

#include <filesystem>

#include "models/importers/import_table.h"
#include "models/importers/pipedream_profile.h"
#include "models/importers/piper_json.h"

namespace pipegraph {
namespace {

class Profiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(PIPEGRAPH_PROFILES))
      GTEST_SKIP() << "no published profiles in " PIPEGRAPH_PROFILES;
  }
  static ComputationGraph pipedream(const std::string& name) {
    return import_pipedream_profile(
        {.name = name,
         .file = std::filesystem::path(PIPEGRAPH_PROFILES) / "pipedream" / (name + ".graph.txt"),
         .as_written = true});
  }
  static ComputationGraph piper(const std::string& name, Seconds unit) {
    return import_piper_json(
        {.name = name,
         .file = std::filesystem::path(PIPEGRAPH_PROFILES) / "piper" / (name + ".json"),
         .time_unit = unit});
  }
  static double seconds(const ComputationGraph& graph) {
    double sum = 0.0;
    for (const Operator& op : graph.operators())
      sum += op.forward.time->count() + op.backward.time->count();
    return sum;
  }
};

TEST_F(Profiles, HaveTheirOperatorsAndEdges) {
  EXPECT_EQ(pipedream("vgg16").size(), 41U);
  EXPECT_EQ(pipedream("vgg16").edges().edges().size(), 41U);
  EXPECT_EQ(pipedream("resnet50").edges().edges().size(), 193U);
  EXPECT_EQ(pipedream("gnmt").size(), 48U);
  EXPECT_EQ(pipedream("inception_v3").edges().edges().size(), 362U);
  EXPECT_EQ(pipedream("nasnetalarge").size(), 1251U);
  EXPECT_EQ(pipedream("nasnetamobile").edges().edges().size(), 1078U);
  EXPECT_EQ(piper("bert32a100", Seconds{1}).edges().edges().size(), 67U);
}

// Piper's gnmt and resnet are PipeDream's gnmt_large and resnet50 without the loader, in ms.
TEST_F(Profiles, OfOneNetworkTakeTheSameTimeInBothFormats) {
  EXPECT_NEAR(seconds(piper("gnmt", Seconds{1e-3})), 0.520453, 1e-9);
  EXPECT_NEAR(seconds(piper("resnet", Seconds{1e-3})), 0.462381, 1e-9);
}

TEST_F(Profiles, CarryEveryDegreeOfTensorParallelism) {
  const ComputationGraph graph = piper("bert32a100", Seconds{1});
  for (const Operator& op : graph.operators()) {
    ASSERT_EQ(op.variants.size(), 8U) << op.name;  // 1, 2, 4, 8 devices, each with recomputation
    EXPECT_EQ(op.variants.back().tensor_parallel, 8);
    EXPECT_EQ(op.variants.front().input_bytes.size(), op.inputs.size());
  }
}

}  // namespace
}  // namespace pipegraph
