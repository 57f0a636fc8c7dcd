// `pipegraph simulate`: results, the results folder, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/backends.h"
#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// For scenarios that do not name one.
const std::string k_backend = is_built_in(BackendKind::SimGrid) ? "simulation.backend=simgrid"
                                                                : "simulation.backend=analytic";

class Simulate : public test::Workbench {
 protected:
  static nlohmann::json summary(const std::string& folder) {
    return nlohmann::json::parse(read_file(folder + "/summary.json"));
  }
};

TEST_F(Simulate, ComparesAGraphWithAChain) {
  write_branches();
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "--format", "json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  const auto& plans = json.at("points").at(0).at("plans");
  // Forward 1 ms, backward 2 ms, eight samples: the graph has depth 5, so 8 x 3 + 4 x 3 = 36 ms; as
  // a chain of eight, 8 x 3 + 7 x 3 = 45 ms.
  EXPECT_NEAR(plans.at(0).at("iteration_time_s").get<double>(), 0.036, 1e-12);
  EXPECT_NEAR(plans.at(1).at("iteration_time_s").get<double>(), 0.045, 1e-12);
  EXPECT_EQ(plans.at(0).at("depth"), 5);
  EXPECT_EQ(plans.at(1).at("depth"), 8);
  EXPECT_EQ(json, summary("out/branches"));
}

TEST_F(Simulate, BothBackendsAgree) {
  if (!is_built_in(BackendKind::SimGrid)) GTEST_SKIP() << "needs SimGrid";
  write_branches();
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "a"}).code, 0);
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "b", "--set",
                 "simulation.backend=analytic"})
                .code,
            0);
  EXPECT_EQ(read_file("a/plans/graph/timeline.csv"), read_file("b/plans/graph/timeline.csv"));
  EXPECT_EQ(summary("b").at("points").at(0).at("plans").at(0).at("backend"), "analytic");
}

TEST_F(Simulate, TheQuickstartRunsOnEveryNetworkModel) {
  if (!is_built_in(BackendKind::SimGrid)) GTEST_SKIP() << "needs SimGrid";
  for (const std::string network : {"ideal", "lv08", "smpi", "ib"}) {
    const Ran ran = run({"simulate", PIPEGRAPH_SOURCE_DIR "/scenarios/quickstart.yaml",
                         "--no-report", "-o", "results", "--set", "simulation.network=" + network});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
}

TEST_F(Simulate, TheStudyOfSchedulesRunsThemAll) {
  const std::string scenario = PIPEGRAPH_SOURCE_DIR "/scenarios/schedules.yaml";
  const Ran ran = run({"simulate", scenario, "--no-report", "-o", "results", "--set", k_backend});
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, nlohmann::json> plans;
  const nlohmann::json json = summary("results");
  for (const nlohmann::json& plan : json.at("points").at(0).at("plans")) {
    EXPECT_EQ(plan.at("status"), "ok");
    plans[plan.at("name")] = plan;
  }
  const auto time = [&](const std::string& name) {
    return plans.at(name).at("iteration_time_s").get<double>();
  };
  const auto peak_of_last_device = [&](const std::string& name) {
    return plans.at(name).at("peak_memory_bytes").back().get<double>();
  };
  // What each of them is for: zb1p and interleaved_1f1b fill the bubble, zb1p by keeping as much on
  // the last device as on the first; gpipe keeps everything everywhere.
  EXPECT_LT(time("zb1p"), time("1f1b"));
  EXPECT_LT(time("interleaved_1f1b"), time("1f1b"));
  EXPECT_LT(peak_of_last_device("1f1b"), peak_of_last_device("zb1p"));
  EXPECT_LT(peak_of_last_device("zb1p"), peak_of_last_device("gpipe"));
  EXPECT_EQ(plans.at("zb1p").at("in_flight_samples"),
            (std::vector{16, 16, 16, 16}));  // 4 of 4 samples
}

TEST_F(Simulate, SaysWhereAScheduleDoesNotSuitItsStages) {
  const Ran ran = run({"simulate", PIPEGRAPH_SOURCE_DIR "/scenarios/schedules.yaml", "--no-report",
                       "--set", "plans[4].stages[5].devices=[2]", "--set", k_backend});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("plans[4].stages[5]: interleaved_1f1b: stage s5 stands on devices "
                                 "[2]; expected those of stage s1, [1], or schedule: 1f1b"));
}

TEST_F(Simulate, WritesEveryFileOfTheResultsFolder) {
  write_branches();
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "results"}).code, 0);
  for (const char* file :
       {"summary.json", "results.csv", "scenario.yaml", "pipegraph.json", "plans/graph/plan.yaml",
        "plans/graph/timeline.csv", "plans/graph/timeline.json", "plans/graph/memory.csv",
        "plans/graph/stages.csv", "plans/graph/stage_edges.csv", "plans/graph/links.csv",
        "plans/graph/critical_path.csv", "plans/graph/details.json", "plans/chain/plan.yaml"})
    EXPECT_TRUE(exists(std::string("results/") + file)) << file;
}

TEST_F(Simulate, ItsOwnScenarioAndPlanFilesGiveTheSameResults) {
  write_branches();
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "first"}).code, 0);
  const std::string timeline = read_file("first/plans/chain/timeline.csv");
  ASSERT_EQ(run({"simulate", "first/scenario.yaml", "--no-report", "-o", "again"}).code, 0);
  EXPECT_EQ(read_file("again/plans/chain/timeline.csv"), timeline);
  ASSERT_EQ(run({"simulate", "first/plans/chain/plan.yaml", "--no-report", "-o", "of_plan", "--set",
                 k_backend})
                .code,
            0);
  EXPECT_EQ(read_file("of_plan/plans/chain/timeline.csv"), timeline);
  EXPECT_EQ(read_file("of_plan/plans/chain/plan.yaml"), read_file("first/plans/chain/plan.yaml"));
}

TEST_F(Simulate, ReplacesItsOwnFolderAndRefusesAForeignOne) {
  write_branches();
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "results"}).code, 0);
  write_file("results/left_over", "x");
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "results/"}).code, 0);
  EXPECT_FALSE(exists("results/left_over"));
  std::filesystem::create_directory("foreign");
  write_file("foreign/thesis.txt", "x");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "foreign"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(
      ran.err,
      "pipegraph: foreign: is not empty and not of pipegraph's making; expected another folder, "
      "or an empty one\n");
  EXPECT_EQ(read_file("foreign/thesis.txt"), "x");
}

TEST_F(Simulate, AFailedRunLeavesTheEarlierResultsAndNothingElse) {
  write_branches();
  ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "results"}).code, 0);
  const std::string before = read_file("results/summary.json");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results", "--set",
                       "plans[1].stages[3].operators=[b1, a2]"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("operator 'a2' is already taken"));
  EXPECT_EQ(read_file("results/summary.json"), before);
  const auto entries = std::distance(std::filesystem::directory_iterator("."), {});
  EXPECT_EQ(entries, 2);  // branches.yaml and results
}

TEST_F(Simulate, SweepsHaveARowAndAFolderPerPoint) {
  write_branches("sweep: {training.mini_batch: [8, 16]}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(exists("results/points/1/plans/chain/plan.yaml"));
  const auto points = summary("results").at("points");
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points.at(1).at("point").at("training.mini_batch"), 16);
  // 16 samples as a graph of depth 5: 16 x 3 + 4 x 3 = 60 ms.
  EXPECT_NEAR(points.at(1).at("plans").at(0).at("iteration_time_s").get<double>(), 0.060, 1e-12);
}

TEST_F(Simulate, ResultsOfAPlanFileAreCalledLikeThePlan) {
  write_branches();
  ASSERT_EQ(run({"plan", "branches.yaml", "--plan", "chain", "-o", "some.yaml"}).code, 0);
  const Ran ran = run({"simulate", "some.yaml", "--no-report"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(summary("out/chain").at("scenario"), "chain");
}

TEST_F(Simulate, NotesASlowdownOfWorkInFlopsOnce) {
  write_tower();
  const auto noted = [](const std::string& device) {
    return run({"simulate", "tower.yaml", "--no-report", "--set",
                "cluster.device_overrides=[{match: 0, " + device + "}]"})
        .err;
  };
  const std::string note = "slowdown 2 of gpu0 changes nothing";
  const std::string err = noted("slowdown: 2");
  EXPECT_THAT(err, HasSubstr(note));
  EXPECT_EQ(err.find(note), err.rfind(note));
  EXPECT_EQ(noted("memory: 512 MiB").find("changes nothing"), std::string::npos);
}

TEST_F(Simulate, AnImpossiblePointIsARowAndTheOthersGoOn) {
  write_branches("sweep: {cluster.devices: [4, 8]}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto points = summary("results").at("points");
  ASSERT_EQ(points.size(), 2U);
  const auto& plan = points.at(0).at("plans").at(0);
  EXPECT_EQ(plan.at("name"), "graph");
  EXPECT_EQ(plan.at("status"), "infeasible");
  EXPECT_THAT(plan.at("reason").get<std::string>(),
              HasSubstr("the stage has no devices, and the cluster no device 4"));
  EXPECT_EQ(points.at(1).at("plans").at(0).at("status"), "ok");
  EXPECT_THAT(ran.out, HasSubstr("cluster.devices=4: graph: branches.yaml:"));
}

TEST_F(Simulate, AtAPointThatCannotBeSetUpEveryPlanIsImpossible) {
  write_branches("sweep: {cluster.devices: [8, 0]}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto points = summary("results").at("points");
  for (const auto& plan : points.at(1).at("plans")) {
    EXPECT_EQ(plan.at("status"), "infeasible");
    EXPECT_THAT(plan.at("reason").get<std::string>(), HasSubstr("cluster.devices"));
  }
}

TEST_F(Simulate, AScenarioThatCannotBeReadAtOnePointIsARowToo) {
  write_branches("sweep: {training.mini_batch: [0, 8]}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto points = summary("results").at("points");
  EXPECT_EQ(points.at(0).at("plans").at(1).at("name"), "chain");
  EXPECT_EQ(points.at(0).at("plans").at(1).at("status"), "infeasible");
  EXPECT_EQ(points.at(1).at("plans").at(1).at("status"), "ok");
}

TEST_F(Simulate, ASweepWithoutAPossiblePointIsBadInput) {
  write_branches("sweep: {cluster.devices: [4, 5]}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the cluster no device 4"));
  EXPECT_FALSE(exists("results"));
}

TEST_F(Simulate, APlanThatDoesNotFitIsTheAnswerNo) {
  write_branches();
  // Each stage needs its parameters and gradients alone 2 MiB.
  const std::vector<std::string> words{"simulate",
                                       "branches.yaml",
                                       "--no-report",
                                       "-o",
                                       "results",
                                       "--set",
                                       "cluster.device={memory: 1 MiB}"};
  const Ran ran = run(words);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("out_of_memory"));
  const auto plan = summary("results").at("points").at(0).at("plans").at(0);
  EXPECT_EQ(plan.at("status"), "out_of_memory");
  EXPECT_TRUE(plan.at("iteration_time_s").is_null());
  std::vector<std::string> reported = words;
  reported.insert(reported.end(), {"--set", "memory=report"});
  EXPECT_EQ(run(reported).code, 0);
  EXPECT_EQ(summary("results").at("points").at(0).at("plans").at(0).at("fits"), false);
}

TEST_F(Simulate, ADeadlockIsTheAnswerNo) {
  write_branches();
  // The branch that the join a4 needs comes after it.
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "results", "--set",
                       "plans=[{planner: manual, kind: sequential, micro_batch: 1, stages: "
                       "[{operators: ['a*']}, {operators: ['b*']}]}]"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("deadlock"));
}

TEST_F(Simulate, SaysWhereAScenarioIsWrong) {
  write_branches("memroy: report\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              StartsWith("pipegraph: branches.yaml:31:1: memroy: unknown key in a scenario; "
                         "expected 'memory'"));
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(run({"simulate", "none.yaml"}).code, 2);
}

}  // namespace
}  // namespace pipegraph
