// `pipegraph validate`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

using Validate = test::Workbench;

TEST_F(Validate, TellsTheVerdictOfEveryPlan) {
  write_branches("  - {planner: balanced}\n");
  const Ran ran = run({"validate", "branches.yaml", "--format", "csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "point,plan,planner,verdict,reason\n"
            "0,graph,manual,\"ok, strict\",\n"
            "0,chain,manual,\"ok, strict\",\n"
            "0,balanced,balanced,to be planned,\n");
}

TEST_F(Validate, ReadsThePlannersOptions) {
  write_branches("  - {planner: balanced, knid: graph}\n");
  const Ran ran = run({"validate", "branches.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("plans[2].knid: unknown key in a plan; expected 'kind'"));
}

/// What validation says of a planner's options, which planning says as well.
std::string refusal(const std::string& options) {
  const std::vector<std::string> rest{"branches.yaml", "--set", "plans=[{" + options + "}]"};
  std::vector<std::string> validate{"validate"}, plan{"plan"};
  validate.insert(validate.end(), rest.begin(), rest.end());
  plan.insert(plan.end(), rest.begin(), rest.end());
  const Ran validated = run(validate);
  const Ran planned = run(plan);
  EXPECT_EQ(validated.code, 2) << options << "\n" << validated.out;
  EXPECT_EQ(planned.code, 2) << options;
  EXPECT_EQ(validated.err, planned.err);
  return validated.err;
}

TEST_F(Validate, FindsOptionsThatContradictEachOtherOrTheClusterWhereTheyStand) {
  write_branches();
  for (const char* planner : {"alpa_inter_op", "balanced", "bapipe", "exhaustive", "graphpipe",
                              "pipegraph", "pipedream", "piper", "uniform"}) {
    const std::string name = fmt::format("planner: {}, name: p, ", planner);
    EXPECT_THAT(refusal(name + "schedule: gpipe, extra_in_flight: 1"),
                HasSubstr("plans[0].extra_in_flight: plan 'p': what is in flight with schedule "
                          "'gpipe' follows from its stages; expected no extra_in_flight"));
    EXPECT_THAT(refusal(name + "schedule: interleaved_1f1b"),
                HasSubstr("plans[0].schedule: plan 'p': 'interleaved_1f1b' takes turns"));
  }
  EXPECT_THAT(refusal("planner: graphpipe, search: paper, kind: sequential"),
              HasSubstr("plans[0].search: plan 'graphpipe': 'paper' makes graphs"));
  EXPECT_THAT(refusal("planner: graphpipe, micro_batches: per_stage, search: paper"),
              HasSubstr("plans[0].micro_batches: plan 'graphpipe': 'per_stage' makes graphs"));
  EXPECT_THAT(refusal("planner: balanced, kind: graph, stages_per_device: 2"),
              HasSubstr("plans[0].stages_per_device: plan 'balanced': branches do not take turns"));
  EXPECT_THAT(refusal("planner: pipedream, levels: [{workers: 9, bandwidth: 1 GB/s}]"),
              HasSubstr("plans[0].levels: plan 'pipedream': they have 9 devices"));
  // Its stages are one operator each, of two branches.
  EXPECT_THAT(refusal("planner: uniform, kind: graph, schedule: interleaved_1f1b, "
                      "stages_per_device: 2"),
              HasSubstr("plans[0].kind: plan 'uniform': 'interleaved_1f1b' takes turns along a "
                        "chain"));
}

TEST_F(Validate, PointsAtTheLineOfTheOption) {
  write_branches("  - planner: uniform\n    schedule: gpipe\n    extra_in_flight: 2\n");
  const std::string text = read_file("branches.yaml");
  const auto line =
      1 + std::count(text.begin(),
                     text.begin() + static_cast<std::ptrdiff_t>(text.find("extra_in_flight")),
                     '\n');
  EXPECT_THAT(run({"validate", "branches.yaml"}).err,
              HasSubstr(fmt::format("branches.yaml:{}:22: plans[2].extra_in_flight: ", line)));
}

TEST_F(Validate, LooksAtEveryPointOfASweep) {
  write_branches("sweep: {cluster.devices: [8, 4]}\n");
  const Ran ran = run({"validate", "branches.yaml"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("impossible"));
  EXPECT_THAT(ran.out, HasSubstr("the stage has no devices, and the cluster no device 4"));
  EXPECT_EQ(run({"validate", "branches.yaml", "--set", "sweep={cluster.devices: [4, 5]}"}).code, 2);
}

TEST_F(Validate, APlanThatCannotRunIsTheAnswerNo) {
  write_branches();
  const Ran ran = run({"validate", "branches.yaml", "--set", "cluster.device={memory: 1 MiB}"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("out_of_memory"));
}

}  // namespace
}  // namespace pipegraph
