// The studies of wide networks in scenarios/: their smallest points, stages as a graph against
// chains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/backends.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;

class Studies : public test::Workbench {
 protected:
  /// Simulated iteration times by plan, all of which must be ok, at the sweep's point `sweep`.
  static std::map<std::string, double> times(const std::string& scenario,
                                             const std::string& sweep) {
    const std::string backend = is_built_in(BackendKind::SimGrid) ? "simgrid" : "analytic";
    const Ran ran =
        run({"simulate", PIPEGRAPH_SOURCE_DIR "/scenarios/" + scenario, "--no-report", "--format",
             "json", "--set", "sweep=" + sweep, "--set", "simulation.backend=" + backend});
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::map<std::string, double> result;
    const auto json = nlohmann::json::parse(ran.out);
    for (const auto& plan : json.at("points").at(0).at("plans")) {
      EXPECT_EQ(plan.at("status"), "ok") << plan.at("name");
      result[plan.at("name")] = plan.at("iteration_time_s");
    }
    return result;
  }

  static void expect_graphs_no_slower(const std::map<std::string, double>& seconds) {
    EXPECT_LE(seconds.at("graphpipe"), seconds.at("chain") * (1 + 1e-9));
    for (const auto& [name, time] : seconds)
      EXPECT_LE(seconds.at("pipegraph"), time * 1.01) << name;
  }
};

TEST_F(Studies, OfWideCellsRunAsGraphsNoSlowerThanAsChains) {
  const auto seconds = times("wide_cells.yaml", "{cluster.nodes: [2]}");
  EXPECT_EQ(seconds.size(), 6U);
  expect_graphs_no_slower(seconds);
}

TEST_F(Studies, OfPublishedNetworksRunAsGraphsNoSlowerThanAsChains) {
  const std::string file = PIPEGRAPH_PROFILES "/pipedream/gnmt.graph.txt";
  if (!exists(file)) GTEST_SKIP() << "no published profile " << file;
  const auto seconds = times("published_networks.yaml", "{model.file: [" + file + "]}");
  EXPECT_EQ(seconds.size(), 5U);
  expect_graphs_no_slower(seconds);
}

}  // namespace
}  // namespace pipegraph
