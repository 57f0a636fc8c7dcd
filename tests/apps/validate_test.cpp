// `pipegraph validate`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(Validate, LooksAtEveryPointOfASweep) {
  write_branches("sweep: {cluster.devices: [8, 4]}\n");
  const Ran ran = run({"validate", "branches.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("the stage has no devices, and the cluster no device 4"));
}

TEST_F(Validate, APlanThatCannotRunIsTheAnswerNo) {
  write_branches();
  const Ran ran = run({"validate", "branches.yaml", "--set", "cluster.device={memory: 1 MiB}"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("out_of_memory"));
}

}  // namespace
}  // namespace pipegraph
