// Published profiles of wide networks that are not series-parallel, on V100s of Summit: every
// planner cuts them, and stages as a graph are no slower than as a chain.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/planners/graphpipe.h"
#include "core/planners/table.h"
#include "models/importers/pipedream_profile.h"
#include "tests/support/tiny_stages.h"
#include "topologies/cluster_reader.h"

namespace pipegraph::test {
namespace {

class WideGraphs : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(PIPEGRAPH_PROFILES))
      GTEST_SKIP() << "no published profiles in " PIPEGRAPH_PROFILES;
  }
  static Workload on_summit(int nodes) {
    const std::string name = GetParam();
    const auto file =
        std::filesystem::path(PIPEGRAPH_PROFILES) / "pipedream" / (name + ".graph.txt");
    const Topology summit = read_cluster(YamlValue::parse(
        "{file: " PIPEGRAPH_SOURCE_DIR "/topologies/summit.yaml, nodes: " + std::to_string(nodes) +
            ", devices_per_node: 4}",
        "test"));
    return tiny_workload(
        import_pipedream_profile({.name = name, .file = file, .profile_samples = 128}), summit,
        {.mini_batch = 256 * nodes});
  }
};

TEST_P(WideGraphs, AreCutByEveryPlanner) {
  const Workload workload = on_summit(4);
  for (const PlannerEntry& entry : planner_table()) {
    if (entry.name == "exhaustive" || entry.name == "pipegraph") continue;
    MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
    const PlannerResult result =
        entry.configure(nothing)(workload, {.name = "p", .kind = entry.kind});
    ASSERT_TRUE(std::holds_alternative<Plan>(result))
        << entry.name << ": " << std::get<Infeasible>(result).reason;
    EXPECT_TRUE(evaluate(workload, std::get<Plan>(result)).ok()) << entry.name;
  }
}

TEST_P(WideGraphs, AreNoSlowerAsGraphsThanAsChains) {
  for (const int nodes : {2, 4}) {
    const Workload workload = on_summit(nodes);
    const auto seconds = [&](PlanKind kind) {
      const Plan plan = std::get<Plan>(plan_graphpipe(workload, {.name = "p", .kind = kind}, {}));
      return evaluate(workload, plan, {.links = LinkRates::Shared}).iteration_time.count();
    };
    EXPECT_LE(seconds(PlanKind::Graph), seconds(PlanKind::Sequential) * (1 + 1e-9))
        << nodes << " nodes";
  }
}

INSTANTIATE_TEST_SUITE_P(, WideGraphs, testing::Values("inception_v3", "nasnetamobile", "gnmt"),
                         [](const auto& network) { return std::string(network.param); });

}  // namespace
}  // namespace pipegraph::test
