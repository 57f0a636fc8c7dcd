// The program as it is built without SimGrid (PIPEGRAPH_SIM=OFF): closed formulas predict, and it
// says so. The test is linked with such an apps/backends.cpp in front of the library's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/backends.h"
#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

constexpr const char* k_note = "built without SimGrid: the analytic backend simulates";

class WithoutSimGrid : public test::Workbench {
 protected:
  WithoutSimGrid() { write_branches(); }
  static std::string backend_of(const std::string& folder) {
    return nlohmann::json::parse(read_file(folder + "/summary.json"))
        .at("points")
        .at(0)
        .at("plans")
        .at(0)
        .at("backend");
  }
};

TEST_F(WithoutSimGrid, SimulatesByTheAnalyticBackendWhereNoneIsNamed) {
  const Ran ran =
      run({"simulate", "branches.yaml", "--no-report", "-o", "out", "--set", "simulation={}"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(backend_of("out"), "analytic");
  EXPECT_THAT(ran.err, HasSubstr(k_note));
}

TEST_F(WithoutSimGrid, SaysNothingOfWhatWasNamed) {
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "out", "--set",
                       "simulation.backend=analytic"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("SimGrid")));
}

TEST_F(WithoutSimGrid, CrossChecksWithThePredictionOfTheAnalyticBackend) {
  const Ran ran = run({"crosscheck", "branches.yaml", "--backend", "emulated", "--no-report", "-o",
                       "check", "--set", "simulation={}", "--set", "cluster.latency=0.5 ms",
                       "--tolerance", "1e-7", "--format", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("verdict"), "within tolerance");
  EXPECT_EQ(backend_of("check/predicted"), "analytic");
  EXPECT_EQ(backend_of("check/measured"), "emulated");
  EXPECT_THAT(ran.err, HasSubstr(k_note));
}

TEST_F(WithoutSimGrid, RefusesWhatOnlySimGridDoesWithTheRemedy) {
  for (const std::string setting :
       {"simulation={backend: simgrid}", "simulation={network: lv08}"}) {
    const Ran ran = run({"simulate", "branches.yaml", "--no-report", "--set", setting});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.err,
              "pipegraph: simulation.backend: pipegraph was built without SimGrid; expected "
              "simulation: {backend: analytic}\n");
    EXPECT_FALSE(exists("out/branches"));
  }
}

}  // namespace
}  // namespace pipegraph
