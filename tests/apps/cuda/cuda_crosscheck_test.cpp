// `profile`, `crosscheck` and `simulate` with costs of GPUs, on the stand-in. What it takes is this
// machine's business; what is measured of what, and what becomes of it, is tested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "core/profile/cost_file.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;

class CudaCrosscheck : public test::Workbench {
 protected:
  CudaCrosscheck() {
    // Spares worker threads, which would compete with the devices' for cores.
    ::setenv("PIPEGRAPH_CUDA_STAND_IN", "pace=lazy", 1);
    write_tower();
  }
  static CostFile costs(const std::string& file) { return read_cost_file(YamlValue::load(file)); }
  static nlohmann::json plan_of(const std::string& folder, std::size_t index = 0) {
    return nlohmann::json::parse(read_file(folder + "/summary.json"))
        .at("points")
        .at(0)
        .at("plans")
        .at(index);
  }
};

void expect_stand_in(const CostFile& file) {
  EXPECT_EQ(file.backend, "cuda");
  EXPECT_TRUE(file.overlap);
  ASSERT_TRUE(file.machine.gpus.has_value());
  EXPECT_EQ(file.machine.gpus->name, "stand-in 0 and stand-in 1");
  EXPECT_EQ(file.machine.gpus->count, 2);
  EXPECT_EQ(file.machine.gpus->clocks, "up to 1000 MHz, memory 1000 MHz");
  EXPECT_THAT(file.machine.gpus->driver, HasSubstr("(CUDA 13.0)"));
  EXPECT_THAT(file.machine.gpus->libraries, HasSubstr("CUDA 13.0, cuBLAS 13."));
  EXPECT_GT(file.dispatch.value_or(Seconds{0}), Seconds{0});
  EXPECT_EQ(file.transfers.size(), 10U);
}

TEST_F(CudaCrosscheck, ProfileOfAModelHasEveryPassOfEveryOperatorAndServesPlanners) {
  ASSERT_EQ(run({"profile", "tower.yaml", "--backend", "cuda", "--samples", "1,2,4,8",
                 "--repetitions", "2"})
                .code,
            0);
  const CostFile file = costs("costs.yaml");
  expect_stand_in(file);
  EXPECT_GT(file.optimizer_bandwidth.value_or(BytesPerSecond{}).value, 0.0);
  // input, layer0, layer1, output and loss; forward, backward and its two parts; four sample
  // counts.
  ASSERT_EQ(file.operators.size(), 5U * 4U * 4U);
  for (const MeasuredOperator& measured : file.operators) EXPECT_EQ(measured.time.count > 0, true);
  const Ran ran = run({"simulate", "tower.yaml", "--no-report", "-o", "out", "--set",
                       "costs=costs.yaml", "--set", "plans=[{planner: balanced}]"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(plan_of("out").at("costs").get<std::string>(), HasSubstr("operator profile"));
  EXPECT_GT(plan_of("out").at("iteration_time_s").get<double>(), 0.0);
}

TEST_F(CudaCrosscheck, ProfileStatesItsPrecisionAndServesThatAlone) {
  for (const std::string precision : {"bf16", "tf32"}) {
    const std::string file = precision + ".yaml";
    ASSERT_EQ(run({"profile", "tower.yaml", "--backend", "cuda", "--precision", precision,
                   "--samples", "1,2,4,8", "--repetitions", "1", "-o", file})
                  .code,
              0);
    ASSERT_TRUE(costs(file).precision.has_value());
    EXPECT_EQ(to_text(*costs(file).precision), precision);
    EXPECT_EQ(costs(file).operators.size(), 5U * 4U * 4U);
    const std::vector<std::string> words{"simulate",
                                         "tower.yaml",
                                         "--no-report",
                                         "-o",
                                         "out-" + precision,
                                         "--set",
                                         "costs=" + file,
                                         "--set",
                                         "plans=[{planner: balanced}]",
                                         "--set"};
    std::vector<std::string> same = words, other = words;
    same.push_back("training.precision=" + precision);
    other.emplace_back("training.precision=fp32");
    ASSERT_EQ(run(same).code, 0);
    EXPECT_THAT(plan_of("out-" + precision).at("costs").get<std::string>(),
                HasSubstr("operator profile"));
    const Ran refused = run(other);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(file + ": costs.precision: times in " + precision +
                                       ", where training computes in fp32; expected a profile in "
                                       "fp32, or training.precision: " +
                                       precision));
  }
  const Ran merging = run({"profile", "tower.yaml", "--backend", "cuda", "--precision", "tf32",
                           "--merge", "-o", "bf16.yaml"});
  EXPECT_EQ(merging.code, 2);
  EXPECT_THAT(merging.err, HasSubstr("bf16.yaml: holds times in bf16, these are in tf32"));
}

TEST_F(CudaCrosscheck, PlansInBf16AreProfiledPredictedAndMeasured) {
  const Ran ran = run({"crosscheck", "tower.yaml", "--backend", "cuda", "--no-report", "-o",
                       "check", "--format", "json", "--set", "training.precision=bf16"});
  ASSERT_LE(ran.code, 1) << ran.err;
  EXPECT_EQ(costs("check/costs.yaml").precision, Precision::Bf16);
  EXPECT_EQ(costs("check/costs.yaml").plans.size(), 3U);
}

TEST_F(CudaCrosscheck, ProfileOfAPlanPredictsThatPlan) {
  ASSERT_EQ(run({"simulate", "tower.yaml", "--no-report", "-o", "first"}).code, 0);
  const std::string plan = "first/plans/two/plan.yaml";
  const Ran ran = run({"profile", plan, "--backend", "cuda", "--repetitions", "4"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const CostFile file = costs("costs.yaml");
  expect_stand_in(file);
  ASSERT_EQ(file.plans.size(), 1U);
  EXPECT_EQ(file.plans[0].hash, plan_of("first").at("program_hash").get<std::string>());
  // Two stages: forward, backward and optimizer each.
  EXPECT_EQ(file.plans[0].instructions.size(), 6U);
  ASSERT_EQ(run({"simulate", plan, "--no-report", "-o", "again", "--set", "costs=costs.yaml"}).code,
            0);
  EXPECT_THAT(plan_of("again").at("costs").get<std::string>(), HasSubstr("plan profile"));
  Seconds computes{0};
  for (const MeasuredInstruction& one : file.plans[0].instructions) computes += one.time.mean;
  EXPECT_GT(plan_of("again").at("iteration_time_s").get<double>(), computes.count() / 2);
}

TEST_F(CudaCrosscheck, ComparesWhatWasPredictedWithWhatWasMeasured) {
  const Ran ran = run({"crosscheck", "tower.yaml", "--backend", "cuda", "--no-report", "-o",
                       "check", "--format", "json"});
  ASSERT_LE(ran.code, 1) << ran.err;  // 1: others used the machine
  const auto json = nlohmann::json::parse(ran.out);
  ASSERT_EQ(json.at("plans").size(), 3U);
  for (const auto& plan : json.at("plans")) EXPECT_EQ(plan.at("level"), "instruction");
  expect_stand_in(costs("check/costs.yaml"));
  EXPECT_EQ(costs("check/costs.yaml").plans.size(), 3U);
  EXPECT_EQ(plan_of("check/measured").at("backend"), "cuda");
  EXPECT_EQ(plan_of("check/measured").at("program_hash"),
            plan_of("check/predicted").at("program_hash"));
}

TEST_F(CudaCrosscheck, DevicesShareGpusOnlyIfAllowed) {
  const std::vector<std::string> words{
      "crosscheck",
      "tower.yaml",
      "--backend",
      "cuda",
      "--no-report",
      "-o",
      "check",
      "--set",
      "cluster.devices=3",
      "--set",
      "plans=[{planner: manual, micro_batch: 2, stages: [{operators: [input, layer0]}, "
      "{operators: [layer1]}, {operators: [output, loss]}]}]"};
  const Ran refused = run(words);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("the program uses 3 devices, this machine has 2 GPUs: "
                                     "--share-gpus lets devices share"));
  std::vector<std::string> sharing = words;
  sharing.emplace_back("--share-gpus");
  const Ran ran = run(sharing);
  ASSERT_LE(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("oversubscribed: 3 devices share 2 GPUs; predictions do not model "
                                 "that their kernels share it"));
  EXPECT_EQ(plan_of("check/measured").at("oversubscribed"), true);
  EXPECT_EQ(plan_of("check/measured").at("measured").at("times_from"),
            "events (CUPTI was not asked for)");
}

TEST_F(CudaCrosscheck, FilesOfGpusAndCpusAreNotMerged) {
  const std::vector<std::string> words{"profile",       "tower.yaml", "--samples", "1",
                                       "--repetitions", "1",          "--backend"};
  std::vector<std::string> cuda = words, cpu = words;
  cuda.emplace_back("cuda");
  cpu.insert(cpu.end(), {"cpu", "--merge"});
  ASSERT_EQ(run(cuda).code, 0);
  const Ran ran = run(cpu);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("holds times of 'cuda'"));
}

}  // namespace
}  // namespace pipegraph
