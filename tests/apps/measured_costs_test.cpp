// `costs:` in scenarios and plan files: what is used when, and what comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/this_machine.h"
#include "core/base/files.h"
#include "core/profile/cost_file.h"
#include "tests/apps/workbench.h"

namespace pipegraph {
namespace {

using test::Ran;
using test::run;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> k_operators{"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"};

class Costs : public test::Workbench {
 protected:
  /// Costs of this machine: 2 ms forward and 4 ms backward per sample, of every operator.
  static CostFile operator_costs(const std::vector<std::int64_t>& samples) {
    CostFile file{.model = "two_branches", .backend = "cpu", .machine = this_machine()};
    for (const std::string& name : k_operators)
      for (const std::int64_t count : samples)
        for (const Pass pass : {Pass::Forward, Pass::Backward})
          file.operators.push_back(
              {name,
               pass,
               count,
               {Seconds{(pass == Pass::Forward ? 2e-3 : 4e-3) * static_cast<double>(count)}}});
    return file;
  }
  /// The plan "graph" of branches.yaml: 3 ms forward and 6 ms backward a pass.
  static MeasuredPlan graph_plan(const std::string& hash) {
    MeasuredPlan plan{.hash = hash, .name = "graph", .instructions = {}};
    for (int stage = 0; stage < 8; ++stage) {
      const std::string name = "s" + std::to_string(stage);
      plan.instructions.push_back({name, InstructionKind::Forward, 1, {Seconds{3e-3}}});
      plan.instructions.push_back({name, InstructionKind::Backward, 1, {Seconds{6e-3}}});
    }
    return plan;
  }
  static std::string text_of(CostFile file) {
    for (MeasuredOperator& measured : file.operators) measured.time.count = 1;
    for (MeasuredPlan& plan : file.plans)
      for (MeasuredInstruction& measured : plan.instructions) measured.time.count = 1;
    for (MeasuredTransfer& transfer : file.transfers) transfer.time.count = 1;
    return to_yaml_text(file);
  }
  static void write(const CostFile& file) { write_file("costs.yaml", text_of(file)); }

  /// The entry of the plan "graph" after a simulation; fails unless that ends with `code`.
  static nlohmann::json simulated(const std::vector<std::string>& more = {}, int code = 0) {
    std::vector<std::string> words{"simulate", "branches.yaml", "--no-report", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, code) << ran.err;
    if (ran.code != 0) return nullptr;
    return nlohmann::json::parse(ran.out).at("points").at(0).at("plans").at(0);
  }
  static double time_of(const nlohmann::json& plan) {
    return plan.at("iteration_time_s").get<double>();
  }
};

TEST_F(Costs, OfOperatorsReplaceWhatTheModelSays) {
  write_branches("costs: costs.yaml\n");
  write(operator_costs({1, 8}));
  const auto plan = simulated();
  // Depth 5, eight micro-batches: (8 + 4) x (2 + 4) ms.
  EXPECT_NEAR(time_of(plan), 0.072, 1e-12);
  EXPECT_THAT(plan.at("costs").get<std::string>(), StartsWith("operator profile "));
  EXPECT_THAT(plan.at("costs").get<std::string>(), HasSubstr("this plan was not measured"));
}

TEST_F(Costs, OfAnotherPrecisionAreRefused) {
  write_branches("costs: costs.yaml\n");
  CostFile file = operator_costs({1, 8});
  file.precision = Precision::Bf16;
  write(file);
  const Ran ran = run({"simulate", "branches.yaml", "--no-report"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("costs.precision: times in bf16, where training computes in "));
  simulated({"--set", "training.precision=bf16"});
}

// CPUs compute fp32_tensor as fp32; tf32 they do not compute.
TEST_F(Costs, OfACpuInFp32ServeFp32Tensor) {
  write_branches("costs: costs.yaml\n");
  CostFile file = operator_costs({1, 8});
  file.precision = Precision::Fp32;
  write(file);
  simulated({"--set", "training.precision=fp32_tensor"});
  simulated({"--set", "training.precision=tf32"}, 2);
}

TEST_F(Costs, OfAPlanGoBeforeThoseOfOperators) {
  write_branches();
  const std::string hash = simulated().at("program_hash");
  CostFile file = operator_costs({1, 8});
  file.plans = {graph_plan(hash)};
  write(file);
  const auto plan = simulated({"--set", "costs=costs.yaml"});
  EXPECT_NEAR(time_of(plan), 12 * 9e-3, 1e-12);
  EXPECT_THAT(plan.at("costs").get<std::string>(), StartsWith("plan profile "));
  EXPECT_EQ(plan.at("program_hash"), hash);
}

TEST_F(Costs, OfAPlanCountOnTheMachineTheyAreOf) {
  write_branches();
  CostFile file = operator_costs({1, 8});
  file.plans = {graph_plan(simulated().at("program_hash"))};
  file.machine.cores += 1;
  write(file);
  const auto plan = simulated({"--set", "costs=costs.yaml"});
  EXPECT_NEAR(time_of(plan), 0.072, 1e-12);
  EXPECT_THAT(plan.at("costs").get<std::string>(), HasSubstr("cores, here are"));
  const auto any = simulated({"--set", "costs={file: costs.yaml, any_machine: true}"});
  EXPECT_NEAR(time_of(any), 12 * 9e-3, 1e-12);
}

TEST_F(Costs, OfAPlanNeedNoOperators) {
  write_branches();
  CostFile file = operator_costs({});
  file.plans = {graph_plan(simulated().at("program_hash"))};
  write(file);
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "--set", "costs=costs.yaml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(
      ran.err,
      HasSubstr(
          "costs.yaml: plans: there are no times for this plan (this plan was not measured)"));
  write_file("one.yaml", read_file("out/branches/plans/graph/plan.yaml") + "costs: costs.yaml\n");
  const Ran one = run({"simulate", "one.yaml", "--no-report", "--format", "json", "-o", "one"});
  ASSERT_EQ(one.code, 0) << one.err;
  const auto plan = nlohmann::json::parse(one.out).at("points").at(0).at("plans").at(0);
  EXPECT_NEAR(time_of(plan), 12 * 9e-3, 1e-12);
}

TEST_F(Costs, StayWithThePlanThatIsWritten) {
  write_branches("costs: costs.yaml\n");
  write(operator_costs({1, 8}));
  simulated({"-o", "first"});
  std::filesystem::create_directory("elsewhere");
  std::filesystem::copy_file("first/plans/graph/plan.yaml", "elsewhere/plan.yaml");
  const Ran ran =
      run({"simulate", "elsewhere/plan.yaml", "--no-report", "--format", "json", "-o", "again"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto plan = nlohmann::json::parse(ran.out).at("points").at(0).at("plans").at(0);
  EXPECT_NEAR(time_of(plan), 0.072, 1e-12);
  EXPECT_EQ(run({"simulate", "first/scenario.yaml", "--no-report", "-o", "third"}).code, 0);
}

TEST_F(Costs, AreNotExtrapolatedUnasked) {
  write_branches("costs: costs.yaml\n");
  write(operator_costs({2, 8}));
  const Ran ran = run({"simulate", "branches.yaml", "--no-report"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("was measured for 2 to 8 samples, not for 1"));
  const auto plan = simulated({"--set", "costs={file: costs.yaml, extrapolate: true}"});
  EXPECT_NEAR(time_of(plan), 0.072, 1e-12);  // in proportion, as it was made
}

TEST_F(Costs, BringTransfersToEveryBackend) {
  write_branches();
  CostFile file = operator_costs({1, 8});
  file.transfers = {{Bytes{64}, {Seconds{1e-3}}}, {Bytes{1 << 20}, {Seconds{1e-3}}}};
  write(file);
  // The same as a latency of 1 ms on a network without limits.
  const std::string without = "costs={file: bare.yaml}";
  write_file("bare.yaml", text_of(operator_costs({1, 8})));
  const double expected = time_of(simulated({"--set", without, "--set", "cluster.latency=1 ms"}));
  EXPECT_GT(expected, 0.072);
  for (const std::string backend : {"simgrid", "analytic"})
    EXPECT_NEAR(
        time_of(simulated({"--set", "costs=costs.yaml", "--set", "simulation.backend=" + backend})),
        expected, 1e-9 * expected)
        << backend;
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "--set", "costs=costs.yaml",
                       "--set", "simulation.network=lv08"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("simulation.network"));
}

TEST_F(Costs, AddDispatchToEveryCompute) {
  write_branches("costs: costs.yaml\n");
  CostFile file = operator_costs({1, 8});
  file.dispatch = Seconds{1e-3};
  write(file);
  EXPECT_NEAR(time_of(simulated()), 12 * 8e-3, 1e-12);  // 3 ms forward, 5 ms backward
}

TEST_F(Costs, WithoutOverlapChooseThreadsUnlessABackendIsNamed) {
  write_branches("costs: costs.yaml\n");
  CostFile file = operator_costs({1, 8});
  file.overlap = false;
  write(file);
  const auto plan = simulated({"--set", "simulation={}"});
  EXPECT_EQ(plan.at("backend"), "threads");
  EXPECT_EQ(plan.at("oversubscribed"), false);
  EXPECT_NEAR(time_of(plan), 0.072, 1e-12);  // messages are free here
  EXPECT_EQ(simulated({"--set", "simulation.backend=analytic"}).at("backend"), "analytic");
}

TEST_F(Costs, OfAnotherModelAreRefused) {
  write_branches("costs: costs.yaml\n");
  CostFile file = operator_costs({1, 8});
  file.model_hash = "0000000000000000";
  write(file);
  Ran ran = run({"simulate", "branches.yaml", "--no-report"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("costs.yaml: costs.model_hash: 0000000000000000, 'two_branches' as "
                        "it was profiled; expected "));
  EXPECT_THAT(ran.err, HasSubstr(", 'two_branches' as it is here; profile it again\n"));
  file = operator_costs({1, 8});
  std::erase_if(file.operators, [](const MeasuredOperator& measured) {
    return measured.name == "b3" && measured.pass == Pass::Backward;
  });
  write(file);
  ran = run({"simulate", "branches.yaml", "--no-report"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("'b3' was not measured backward"));
  EXPECT_EQ(run({"simulate", "branches.yaml", "--set", "costs=none.yaml"}).code, 2);
}

TEST_F(Costs, OfThreadsOnFewerCoresAreMarked) {
  write_branches();
  const auto plan = simulated({"--set", "simulation={backend: threads, cores: 2}"});
  EXPECT_EQ(plan.at("oversubscribed"), true);
  // 8 operators, 8 samples, 3 ms each on two cores: no less than 96 ms.
  EXPECT_GE(time_of(plan), 0.096);
  EXPECT_LE(time_of(plan), 0.192);
  const Ran ran = run({"simulate", "branches.yaml", "--no-report", "--set",
                       "simulation={backend: analytic, cores: 2}"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("simulation.cores"));
}

}  // namespace
}  // namespace pipegraph
