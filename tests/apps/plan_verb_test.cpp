// `pipegraph plan`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/planners/table.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using PlanVerb = test::Workbench;

TEST_F(PlanVerb, WritesTheFastestPlan) {
  write_branches();
  const Ran ran = run({"plan", "branches.yaml", "-o", "best.yaml"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("36 ms"));
  EXPECT_THAT(ran.out, HasSubstr("45 ms"));
  EXPECT_THAT(read_file("best.yaml"), HasSubstr("  name: graph\n"));
}

TEST_F(PlanVerb, WritesAFileThatIsRefusedIfItWasCut) {
  write_branches();
  ASSERT_EQ(run({"plan", "branches.yaml", "-o", "best.yaml"}).code, 0);
  const std::string whole = read_file("best.yaml");
  EXPECT_EQ(run({"validate", "best.yaml"}).code, 0);
  const std::size_t last = whole.rfind("    micro_batch: ");
  ASSERT_NE(last, std::string::npos);
  write_file("best.yaml", whole.substr(0, whole.find('\n', last) + 1));
  const Ran ran = run({"validate", "best.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("best.yaml:2:12: ends_with: the key 'end' is missing: the file "
                                 "was cut; expected the whole file"));
}

TEST_F(PlanVerb, TakesThePlanThatIsNamed) {
  write_branches();
  ASSERT_EQ(run({"plan", "branches.yaml", "--plan", "chain", "-o", "chain.yaml"}).code, 0);
  EXPECT_THAT(read_file("chain.yaml"), HasSubstr("  name: chain\n"));
  const Ran ran = run({"plan", "branches.yaml", "--plan", "chian"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(
      ran.err,
      "pipegraph: --plan: the scenario has no plan 'chian'; expected 'chain' (or one of graph, "
      "chain)\n");
}

TEST_F(PlanVerb, PlansWithAPlanner) {
  write_branches();
  const Ran ran = run({"plan", "branches.yaml", "--set", "plans=[{planner: balanced, kind: graph}]",
                       "-o", "plan.yaml"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(read_file("plan.yaml"), HasSubstr("  planner: balanced\n"));
}

TEST_F(PlanVerb, TellsHowEachPlanWasFound) {
  write_branches();
  const std::string plans = "plans=[{planner: graphpipe},{planner: balanced, name: b}]";
  const Ran ran = run({"plan", "branches.yaml", "--set", plans});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("plan       own objective"));
  // Eight operators of 3 ms on eight devices.
  EXPECT_THAT(ran.out, HasSubstr("graphpipe  max_time_per_sample   3 ms         3 ms  optimal"));
  EXPECT_THAT(ran.out, HasSubstr("b          max_time_per_sample   3 ms         3 ms  optimal"));
  EXPECT_THAT(run({"plan", "branches.yaml", "--set", plans, "--format", "csv"}).out,
              Not(HasSubstr("own objective")));
}

TEST_F(PlanVerb, RefusesPlannersThereAreNot) {
  write_branches();
  const Ran ran = run({"plan", "branches.yaml", "--set", "plans=[{planner: balancd}]"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("plans[0].planner: there is no planner 'balancd'; expected "
                                 "'balanced'"));
}

TEST_F(PlanVerb, PlacesWhatAPlannerSaysOfItsOptions) {
  write_branches();
  const Ran ran = run({"plan", "branches.yaml", "--set",
                       "plans=[{planner: balanced}, {planner: graphpipe, search: paper, kind: "
                       "sequential, name: mine}]"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err,
            "pipegraph: --set:1:52: plans[1].search: plan 'mine': 'paper' makes graphs of stages; "
            "expected 'kind: graph'\n");
}

TEST_F(PlanVerb, FindsAWrongPlanBeforeItPlansTheOthers) {
  write_branches("  - {planner: uniform, schedule: gpipe, extra_in_flight: 1}\n");
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "-o", "out"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("plans[2].extra_in_flight"));
  EXPECT_FALSE(exists("out"));
}

TEST_F(PlanVerb, APlannerThatFindsNothingIsARowWithItsReason) {
  write_branches(
      "  - {planner: alpa_inter_op}\n  - {planner: balanced}\n  - {planner: bapipe}\n"
      "  - {planner: exhaustive}\n  - {planner: graphpipe}\n  - {planner: pipegraph}\n"
      "  - {planner: pipedream}\n  - {planner: piper}\n  - {planner: uniform}\n");
  const Ran ran = run({"plan", "branches.yaml", "--format", "csv", "--set",
                       "cluster.device={memory: 1 B}", "--set", "memory=report"});
  EXPECT_EQ(ran.code, 0) << ran.err;  // the plans by hand are reported
  for (const PlannerEntry& entry : planner_table())
    EXPECT_THAT(ran.out, testing::ContainsRegex(fmt::format(
                             "\n{0},{0},(sequential|graph),infeasible,[^,]", entry.name)));
}

TEST_F(PlanVerb, AModelWithoutTimesHasNoThroughput) {
  write_branches();
  write_file("free.yaml",
             "operators:\n  - {name: a, forward: 0 s, backward: 0 s, output: 0 B}\n"
             "  - {name: b, inputs: [a], forward: 0 s, backward: 0 s, output: 0 B}\n");
  for (const char* verb : {"plan", "simulate"}) {
    std::vector<std::string> words{verb,    "branches.yaml",
                                   "--set", "model={file: free.yaml}",
                                   "--set", "plans=[{planner: uniform}, {planner: pipegraph}]"};
    if (words.front() == "simulate") words.insert(words.end(), {"--no-report", "-o", "out"});
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, testing::ContainsRegex("uniform +ok +0 s +- "));
    EXPECT_THAT(ran.out, Not(HasSubstr("inf")));
    EXPECT_THAT(ran.err, HasSubstr("uniform: no operator and no message takes any time"));
    words.insert(words.end(), {"--format", "json"});
    EXPECT_THAT(run(words).out, HasSubstr("\"throughput_samples_per_s\": null"));
  }
}

TEST_F(PlanVerb, DoesNotReplaceTheScenario) {
  write_branches();
  const Ran ran = run({"plan", "branches.yaml", "-o", "./branches.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("./branches.yaml: is the file that is read"));
  EXPECT_EQ(run({"validate", "branches.yaml"}).code, 0);
  EXPECT_THAT(run({"plan", "branches.yaml", "-o", ""}).err, HasSubstr("--output: is empty"));
}

TEST_F(PlanVerb, LooksAtItsOutputBeforeItPlans) {
  write_branches();
  std::filesystem::create_directory("folder");
  for (const std::string wrong : {"folder", "absent/plan.yaml", "branches.yaml/plan.yaml"}) {
    const Ran ran = run({"plan", "branches.yaml", "-o", wrong});
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("(-o)"));
  }
}

TEST_F(PlanVerb, ASweepNeedsAPoint) {
  write_branches("sweep: {training.mini_batch: [8, 16]}\n");
  EXPECT_THAT(
      run({"plan", "branches.yaml"}).err,
      StartsWith("pipegraph: branches.yaml: the sweep has 2 points; expected --point 0 ... 1"));
  const Ran ran = run({"plan", "branches.yaml", "--point", "1", "--plan", "graph"});
  EXPECT_THAT(ran.out, HasSubstr("60 ms"));
  EXPECT_EQ(run({"plan", "branches.yaml", "--point", "2"}).code, 2);
  EXPECT_THAT(run({"plan", "branches.yaml", "--point", "-1"}).err,
              HasSubstr("--point: there is no point -1; expected 0 to 1"));
}

}  // namespace
}  // namespace pipegraph
