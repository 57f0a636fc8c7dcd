// `pipegraph show`: every intermediate result as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::run;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Show = test::Workbench;

TEST_F(Show, GraphListsOperators) {
  write_branches();
  const auto json =
      nlohmann::json::parse(run({"show", "graph", "branches.yaml", "--format", "json"}).out);
  ASSERT_EQ(json.size(), 8U);
  EXPECT_EQ(json.at(7).at("inputs"), "a3 b4");
  EXPECT_EQ(json.at(7).at("saved_bytes"), 12 * 1024);
}

TEST_F(Show, GraphSaysWhichParametersAreShared) {
  write_file("model.yaml",
             "cluster: {shape: uniform, devices: 1, bandwidth: inf}\n"
             "training: {mini_batch: 1}\nplans: [{planner: balanced}]\n"
             "model:\n  operators:\n"
             "    - {name: a, forward: 1 ms, output: 1 B, parameters: 8 B}\n"
             "    - {name: b, forward: 1 ms, inputs: [a], parameters: 8 B, tied_to: a}\n");
  const auto json =
      nlohmann::json::parse(run({"show", "graph", "model.yaml", "--format", "json"}).out);
  EXPECT_EQ(json.at(1).at("tied_to"), "a");
  EXPECT_NE(json.at(0).at("tied_to"), "a");
}

TEST_F(Show, PlanIsAPlanFile) {
  write_branches();
  const test::Ran ran = run({"show", "plan", "branches.yaml", "--plan", "chain"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  write_file("plan.yaml", ran.out);
  EXPECT_EQ(run({"show", "plan", "plan.yaml"}).out, ran.out);
}

TEST_F(Show, ProgramHasALineAnInstruction) {
  write_branches();
  const std::string text = run({"show", "program", "branches.yaml"}).out;
  EXPECT_THAT(text, HasSubstr("F0[0,1)"));
}

TEST_F(Show, TimelineIsSortedByStart) {
  write_branches();
  const auto rows =
      nlohmann::json::parse(run({"show", "timeline", "branches.yaml", "--format", "json"}).out);
  double last = 0.0;
  for (const auto& row : rows) {
    EXPECT_GE(row.at("start_s").get<double>(), last);
    last = row.at("start_s").get<double>();
  }
  EXPECT_EQ(rows.at(0).at("what"), "F0[0,1)");
}

TEST_F(Show, TopologyHasDevicesLinksAndRoutes) {
  write_branches();
  EXPECT_THAT(run({"show", "topology", "branches.yaml"}).out,
              StartsWith("uniform: 8 devices, 16 links, nodes: 1\n"));
  const auto json =
      nlohmann::json::parse(run({"show", "topology", "branches.yaml", "--format", "json"}).out);
  EXPECT_EQ(json.at("devices").size(), 8U);
  EXPECT_EQ(json.at("routes").size(), 7U);
}

TEST_F(Show, CostsScaleWithSamples) {
  write_branches();
  const std::string text =
      run({"show", "costs", "branches.yaml", "--samples", "1,4", "--format", "csv"}).out;
  // Explicit times are linear: 1 ms and 2 ms a sample, eight operators.
  EXPECT_THAT(text, HasSubstr("4,a1,0.004,0.008\n"));
  EXPECT_THAT(text, HasSubstr("1,(all),0.008,0.016\n"));
  EXPECT_EQ(run({"show", "costs", "branches.yaml", "--samples", "1,x"}).err,
            "pipegraph: --samples: '1,x' is not a list of counts; expected counts from 1 to 2^30, "
            "e.g. 1,8,64\n");
}

TEST_F(Show, RefusesOtherThings) {
  write_branches();
  EXPECT_THAT(run({"show", "pln", "branches.yaml"}).err,
              StartsWith("pipegraph: WHAT: unknown value 'pln'; expected 'plan'"));
}

}  // namespace
}  // namespace pipegraph
