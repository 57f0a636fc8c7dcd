// `pipegraph compare`: what is joined, signed errors, verdicts and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class Compare : public test::Workbench {
 protected:
  /// Simulates branches.yaml into `folder`.
  static void simulate(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"simulate", "branches.yaml", "--no-report", "-o", folder};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  static nlohmann::json compared(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"compare", "a", "b", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(run(words).out);
  }
  static void replace(const std::string& file, const std::string& old, const std::string& by) {
    std::string text = read_file(file);
    const std::size_t at = text.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    write_file(file, text.replace(at, old.size(), by));
  }
  /// The row of a part of the first plan.
  static nlohmann::json row(const nlohmann::json& comparison, const std::string& part,
                            const std::string& what) {
    for (const auto& row : comparison.at("plans").at(0).at("times"))
      if (row.at("part") == part && row.at("what") == what) return row;
    return nullptr;
  }
};

TEST_F(Compare, EqualResultsHaveNoError) {
  write_branches();
  simulate("a");
  simulate("b", {"--set", "simulation.backend=analytic"});
  const Ran ran = run({"compare", "a", "b", "--tolerance", "0"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("verdict: within tolerance (tolerance 0 %)"));
  const auto json = compared();
  EXPECT_EQ(json.at("plans").at(0).at("level"), "instruction");
  EXPECT_EQ(json.at("plans").at(0).at("error"), 0.0);
  EXPECT_EQ(json.at("plans").at(0).at("mean_absolute_error_of_instructions"), 0.0);
}

TEST_F(Compare, TellsSignedErrorsAgainstTheSecond) {
  write_branches();
  simulate("a");
  simulate("b", {"--set", "cluster.device={slowdown: 2}"});
  const auto json = compared();
  const auto& plan = json.at("plans").at(0);
  EXPECT_NEAR(plan.at("iteration_time_a_s").get<double>(), 0.036, 1e-12);
  EXPECT_NEAR(plan.at("iteration_time_b_s").get<double>(), 0.072, 1e-12);
  EXPECT_NEAR(plan.at("error").get<double>(), -0.5, 1e-12);
  // Eight forwards of 1 ms, eight backwards of 2 ms; twice that where devices are slow.
  const auto forward = row(json, "pass", "s0 forward");
  EXPECT_EQ(forward.at("count_a"), 8);
  EXPECT_NEAR(forward.at("a_s").get<double>(), 0.008, 1e-12);
  EXPECT_NEAR(forward.at("b_s").get<double>(), 0.016, 1e-12);
  EXPECT_NEAR(row(json, "stage", "s0").at("a_s").get<double>(), 0.024, 1e-12);
  EXPECT_NEAR(plan.at("mean_absolute_error_of_instructions").get<double>(), 0.5, 1e-12);
}

TEST_F(Compare, ToleranceDecidesTheExitCode) {
  write_branches();
  simulate("a");
  simulate("b", {"--set", "cluster.device={slowdown: 1.04}"});
  EXPECT_EQ(run({"compare", "a", "b", "--tolerance", "5"}).code, 0);
  EXPECT_EQ(run({"compare", "a", "b", "--tolerance", "3"}).code, 1);
  EXPECT_EQ(run({"compare", "a", "b"}).code, 0);
  EXPECT_EQ(compared({"--tolerance", "3"}).at("verdict"), "out of tolerance");
}

TEST_F(Compare, TransfersAreApartFromWaitingForThem) {
  write_branches();
  simulate("a", {"--set", "cluster.latency=1 ms"});
  simulate("b");
  const auto json = compared();
  // What a1 makes goes to a2's device once a micro-batch, 1 ms each.
  const auto moved = row(json, "transfer", "a1 forward");
  EXPECT_EQ(moved.at("count_a"), 8);
  EXPECT_NEAR(moved.at("a_s").get<double>(), 0.008, 1e-12);
  EXPECT_EQ(moved.at("b_s"), 0.0);
  EXPECT_TRUE(moved.at("error").is_null());  // nothing to divide by
  EXPECT_FALSE(row(json, "waiting to receive", "a1 forward").is_null());
  EXPECT_FALSE(row(json, "waiting to send", "a1 backward").is_null());
}

TEST_F(Compare, DifferentProgramsAreJoinedByStageAndPass) {
  write_branches();
  simulate("both");
  for (const std::string plan : {"graph", "chain"})
    ASSERT_EQ(run({"simulate", "both/plans/" + plan + "/plan.yaml", "--no-report", "-o",
                   plan == "graph" ? "a" : "b"})
                  .code,
              0);
  const auto json = compared();
  EXPECT_EQ(json.at("plans").at(0).at("plan_b"), "chain");
  EXPECT_EQ(json.at("plans").at(0).at("level"), "stage and pass");
  EXPECT_NEAR(json.at("plans").at(0).at("error").get<double>(), 36.0 / 45.0 - 1.0, 1e-12);
  EXPECT_NEAR(row(json, "pass", "s7 backward").at("error").get<double>(), 0.0, 1e-12);
  // The chain orders consecutive stages by messages that carry nothing.
  EXPECT_EQ(row(json, "transfer", "order forward").at("count_a"), 0);
  EXPECT_GT(row(json, "transfer", "order forward").at("count_b"), 0);
}

TEST_F(Compare, SaysHowWellPlansAreRanked) {
  write_branches();
  simulate("a");
  simulate("b");
  EXPECT_THAT(run({"compare", "a", "b"}).out,
              HasSubstr("ranking: 1 of 1 pairs right; 1 of 1 that differ by more than 5 % in B"));
  const auto ranking = compared().at("ranking");
  EXPECT_EQ(ranking.at("clear_right"), 1);
}

TEST_F(Compare, WithoutTimelinesTotalsRemain) {
  write_branches();
  simulate("a");
  simulate("b");
  std::filesystem::remove("b/plans/graph/timeline.csv");
  const auto json = compared();
  EXPECT_EQ(json.at("plans").at(0).at("level"), "totals");
  EXPECT_EQ(json.at("plans").at(1).at("level"), "instruction");
}

TEST_F(Compare, GivesNoVerdictOnADisturbedMeasurement) {
  write_branches();
  simulate("a");
  simulate("b");
  auto summary = nlohmann::json::parse(read_file("b/summary.json"));
  summary.at("points").at(0).at("plans").at(0)["measured"] = {{"no_verdict", "machine disturbed"}};
  write_file("b/summary.json", summary.dump());
  const Ran ran = run({"compare", "a", "b", "--tolerance", "50"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("verdict: no verdict"));
  EXPECT_THAT(ran.out, HasSubstr("graph: machine disturbed"));
}

TEST_F(Compare, SaysWhatEachSideHasIfNothingCanBePaired) {
  write_branches();
  simulate("a");
  simulate("b", {"--set", "plans[0].name=one", "--set", "plans[1].name=two"});
  const Ran ran = run({"compare", "a", "b"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("nothing to compare: A has graph, chain; B has one, two."));
}

TEST_F(Compare, TellsACutSummaryFromOneOfAnotherFormat) {
  write_branches();
  simulate("a");
  simulate("b");
  const auto error = [](const std::string& summary) {
    write_file("b/summary.json", summary);
    const Ran ran = run({"compare", "a", "b"});
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_THAT(error("{\"format\": 1,\n  \"poi"), HasSubstr("b/summary.json:2:7: the file is cut"));
  EXPECT_THAT(error("{\"format\": 1,\n  oops}"), HasSubstr("b/summary.json:2:3: this is not JSON"));
  EXPECT_THAT(error("{\"format\": 2}"), HasSubstr("is not a JSON file of format 1"));
}

TEST_F(Compare, PlansWithoutAPartnerAreNamed) {
  write_branches();
  simulate("a");
  simulate("b", {"--set", "plans[1].name=other"});
  const auto json = compared();
  EXPECT_EQ(json.at("plans").size(), 1U);
  EXPECT_EQ(json.at("not_compared").size(), 2U);  // chain, and other
}

TEST_F(Compare, GivesNoVerdictOnTwoModels) {
  write_branches();
  simulate("a");
  write_tower();
  ASSERT_EQ(run({"simulate", "tower.yaml", "--no-report", "-o", "b", "--set", "plans[0].name=graph",
                 "--set", "simulation.backend=analytic"})
                .code,
            0);
  const Ran ran = run({"compare", "a", "b", "--tolerance", "1e6"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("graph: the two sides are of different models: "));
}

TEST_F(Compare, NoticesThatATimelineWasCutBetweenLines) {
  write_branches();
  simulate("a");
  simulate("b");
  const std::string file = "b/plans/graph/timeline.csv";
  const std::string text = read_file(file);
  write_file(file, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  const Ran ran = run({"compare", "a", "b"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(file));
  EXPECT_THAT(ran.err, HasSubstr("the file was cut"));
}

TEST_F(Compare, WritesRowsAsCsv) {
  write_branches();
  simulate("a");
  simulate("b");
  const Ran ran = run({"compare", "a", "b", "--format", "csv"});
  EXPECT_THAT(ran.out, HasSubstr("plan_a,plan_b,part,what,count_a,count_b,a_s,b_s,error\n"));
  EXPECT_THAT(ran.out, HasSubstr("graph,graph,iteration,,1,1,0.036"));
}

TEST_F(Compare, SaysWhereAResultIsDamaged) {
  write_branches();
  simulate("a");
  simulate("b");
  replace("b/plans/graph/timeline.csv", "\n0,0,", "\n0,0,x,");
  Ran ran = run({"compare", "a", "b"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("b/plans/graph/timeline.csv:2: 13 fields; expected 12"));
  EXPECT_EQ(run({"compare", "a", "none"}).code, 2);
  EXPECT_EQ(run({"compare", "a", "."}).code, 2);
  EXPECT_EQ(run({"compare", "a"}).code, 2);
  EXPECT_EQ(run({"compare", "a", "b", "--tolerance", "-1"}).code, 2);
  EXPECT_EQ(run({"compare", "a", "b", "--tolerance", "inf"}).code, 2);
}

TEST_F(Compare, RefusesATimelineOfAnotherPlan) {
  write_branches();
  simulate("a");
  simulate("b");
  std::filesystem::copy_file("b/plans/chain/timeline.csv", "b/plans/graph/timeline.csv",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(run({"compare", "a", "b"}).code, 2);
  std::filesystem::copy_file("b/plans/chain/plan.yaml", "b/plans/graph/plan.yaml",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(run({"compare", "a", "b"}).err,
              HasSubstr("does not give the program that summary.json names"));
}

}  // namespace
}  // namespace pipegraph
