// `pipegraph profile` and `pipegraph crosscheck`, on emulated devices wherever times matter: their
// times are the model's, whatever this machine does meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/profile/cost_file.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class Crosscheck : public test::Workbench {
 protected:
  static nlohmann::json summary(const std::string& folder) {
    return nlohmann::json::parse(read_file(folder + "/summary.json"));
  }
  static nlohmann::json plan_of(const std::string& folder, std::size_t index = 0) {
    return summary(folder).at("points").at(0).at("plans").at(index);
  }
  static CostFile costs(const std::string& file) { return read_cost_file(YamlValue::load(file)); }
  void simulate_branches() const {
    write_branches();
    ASSERT_EQ(run({"simulate", "branches.yaml", "--no-report", "-o", "first"}).code, 0);
  }
};

const std::vector<std::string> k_emulated{"crosscheck",
                                          "branches.yaml",
                                          "--backend",
                                          "emulated",
                                          "--no-report",
                                          "-o",
                                          "check",
                                          "--set",
                                          "simulation.backend=analytic",
                                          "--set",
                                          "cluster.latency=0.5 ms"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Crosscheck, PredictsEmulatedDevicesExactly) {
  write_branches();
  const Ran ran = run(with(k_emulated, {"--tolerance", "1e-7", "--format", "json"}));
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("verdict"), "within tolerance");
  ASSERT_EQ(json.at("plans").size(), 2U);
  for (const auto& plan : json.at("plans")) {
    EXPECT_EQ(plan.at("level"), "instruction");
    EXPECT_NEAR(plan.at("error").get<double>(), 0.0, 1e-9);
    EXPECT_NEAR(plan.at("mean_absolute_error_of_instructions").get<double>(), 0.0, 1e-9);
  }
  EXPECT_EQ(json.at("ranking").at("clear_right"), 1);
}

TEST_F(Crosscheck, LeavesCostsAndBothResults) {
  write_branches();
  ASSERT_EQ(run(k_emulated).code, 0);
  const auto predicted = plan_of("check/predicted"), measured = plan_of("check/measured");
  EXPECT_EQ(predicted.at("backend"), "analytic");
  EXPECT_THAT(predicted.at("costs").get<std::string>(), HasSubstr("plan profile"));
  EXPECT_EQ(measured.at("backend"), "emulated");
  EXPECT_EQ(measured.at("program_hash"), predicted.at("program_hash"));
  EXPECT_GE(measured.at("measured").at("steps").get<int>(), 20);
  EXPECT_EQ(measured.at("measured").at("discarded"), 0);
  EXPECT_TRUE(measured.at("measured").at("no_verdict").is_null());
  const CostFile file = costs("check/costs.yaml");
  ASSERT_EQ(file.plans.size(), 2U);
  EXPECT_EQ(file.plans[0].hash, predicted.at("program_hash").get<std::string>());
  for (const MeasuredInstruction& one : file.plans[0].instructions)
    EXPECT_NEAR(one.time.mean.count(), one.kind == InstructionKind::Forward ? 1e-3 : 2e-3, 1e-12);
  EXPECT_TRUE(exists("check/comparison.json"));
  EXPECT_EQ(run({"compare", "check/predicted", "check/measured", "--tolerance", "1e-7"}).code, 0);
}

TEST_F(Crosscheck, RefusesTooLittleToJudgeBy) {
  write_branches();
  EXPECT_EQ(run(with(k_emulated, {"--blocks", "3"})).code, 2);
  EXPECT_EQ(run(with(k_emulated, {"--steps", "19"})).code, 2);
  EXPECT_EQ(run(with(k_emulated, {"--set", "sweep={training.mini_batch: [4, 8]}"})).code, 2);
  EXPECT_EQ(run({"crosscheck", "branches.yaml", "--backend", "abacus"}).code, 2);
  EXPECT_FALSE(exists("check"));
}

TEST_F(Crosscheck, TellsPlansThatCannotRun) {
  write_branches();
  const Ran ran = run(with(k_emulated, {"--set", "cluster.device={memory: 1 MiB}"}));
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("not compared: graph: out_of_memory"));
}

TEST_F(Crosscheck, ProfileOfAPlanPredictsIt) {
  simulate_branches();
  const std::string plan = "first/plans/graph/plan.yaml";
  const Ran ran = run({"profile", plan, "--backend", "emulated", "-o", "costs.yaml"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const CostFile file = costs("costs.yaml");
  ASSERT_EQ(file.plans.size(), 1U);
  EXPECT_EQ(file.plans[0].hash, plan_of("first").at("program_hash").get<std::string>());
  EXPECT_EQ(file.plans[0].name, "graph");
  EXPECT_EQ(file.backend, "emulated");
  EXPECT_TRUE(file.overlap);
  EXPECT_TRUE(file.transfers.empty());
  ASSERT_EQ(run({"simulate", plan, "--no-report", "-o", "again", "--set", "costs=costs.yaml"}).code,
            0);
  EXPECT_NEAR(plan_of("again").at("iteration_time_s").get<double>(), 0.036, 1e-12);
  EXPECT_THAT(plan_of("again").at("costs").get<std::string>(), HasSubstr("plan profile"));
}

TEST_F(Crosscheck, ProfilesMergeIntoOneFile) {
  simulate_branches();
  for (const std::string plan : {"graph", "chain"})
    ASSERT_EQ(run({"profile", "first/plans/" + plan + "/plan.yaml", "--backend", "emulated",
                   "--merge", "-o", "costs.yaml"})
                  .code,
              0);
  EXPECT_EQ(costs("costs.yaml").plans.size(), 2U);
  ASSERT_EQ(run({"profile", "first/plans/graph/plan.yaml", "--backend", "emulated", "--merge", "-o",
                 "costs.yaml"})
                .code,
            0);
  EXPECT_EQ(costs("costs.yaml").plans.size(), 2U);
  const Ran ran = run({"profile", PIPEGRAPH_SOURCE_DIR "/models/small_mlp.yaml", "--samples", "1",
                       "--repetitions", "1", "--threads", "1", "--merge", "-o", "costs.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("holds the costs of another model"));
}

TEST_F(Crosscheck, AProfileWithMoreThreadsThanCoresIsRefused) {
  const Ran ran = run({"profile", PIPEGRAPH_SOURCE_DIR "/models/small_mlp.yaml", "--samples", "1",
                       "--repetitions", "1", "--threads", "100000"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--threads: 100000 is out of range; expected 1 to"));
}

TEST_F(Crosscheck, ProfileOfAModelServesPlannersWithoutAPeak) {
  const Ran ran = run({"profile", PIPEGRAPH_SOURCE_DIR "/models/small_mlp.yaml", "--samples",
                       "1,2,4", "--repetitions", "2", "--threads", "1"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const CostFile file = costs("costs.yaml");
  EXPECT_FALSE(file.operators.empty());
  EXPECT_FALSE(file.transfers.empty());
  EXPECT_TRUE(file.dispatch.has_value());
  EXPECT_FALSE(file.overlap);
  write_file("scenario.yaml",
             fmt::format("model: {{file: {}/models/small_mlp.yaml}}\n"
                         "cluster: {{shape: uniform, devices: 2, bandwidth: inf}}\n"
                         "training: {{mini_batch: 4}}\ncosts: costs.yaml\n"
                         "plans: [{{planner: balanced}}]\n",
                         PIPEGRAPH_SOURCE_DIR));
  ASSERT_EQ(run({"simulate", "scenario.yaml", "--no-report", "-o", "out"}).code, 0);
  EXPECT_THAT(plan_of("out").at("costs").get<std::string>(), HasSubstr("operator profile"));
  EXPECT_EQ(plan_of("out").at("backend"), "threads");
  EXPECT_GT(plan_of("out").at("iteration_time_s").get<double>(), 0.0);
}

TEST_F(Crosscheck, ProfileSaysWhatItCannotDo) {
  write_branches();
  Ran ran = run({"profile", "branches.yaml"});  // explicit times: nothing to execute
  EXPECT_EQ(ran.code, 2);
  ran = run({"profile", "branches.yaml", "--backend", "emulated"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("operators are not measured on 'emulated'"));
  EXPECT_EQ(run({"profile", "branches.yaml", "--repetitions", "0"}).code, 2);
  EXPECT_FALSE(exists("costs.yaml"));
}

}  // namespace
}  // namespace pipegraph
