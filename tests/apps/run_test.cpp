#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/exit_code.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "tests/apps/workbench.h"

namespace pipegraph::test {
namespace {

using RunVerb = Workbench;

/// Each device receives before it sends what the other waits for.
constexpr const char* k_deadlock =
    "devices 2\n"
    "stage 0 s\n"
    "0 d0 from d1: recv F0[0,1)<d1 bytes 8\n"
    "1 d0 to d1: send F0[0,1)>d1 bytes 8 after 0\n"
    "2 d1 from d0: recv F0[0,1)<d0 bytes 8\n"
    "3 d1 to d0: send F0[0,1)>d0 bytes 8 after 2\n";

nlohmann::json summary_of(const std::string& folder) {
  return nlohmann::json::parse(read_file(folder + "/summary.json"));
}

TEST_F(RunVerb, EmulatedTimelinesAreThoseOfTheAnalyticSimulation) {
  write_branches();
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--trace", "--steps", "2",
                       "--no-report", "-o", "ran"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const Ran simulated = run({"simulate", "branches.yaml", "--set", "simulation.backend=analytic",
                             "--no-report", "-o", "simulated"});
  ASSERT_EQ(simulated.code, ExitDone) << simulated.err;
  for (const std::string plan : {"graph", "chain"})
    EXPECT_EQ(read_file("ran/plans/" + plan + "/timeline.csv"),
              read_file("simulated/plans/" + plan + "/timeline.csv"));
}

// Two branches, 8 samples: 36 as a graph (reference values), in units of a millisecond.
TEST_F(RunVerb, WritesTheMedianOfUntracedStepsWithItsQuartiles) {
  write_branches();
  const Ran ran =
      run({"run", "branches.yaml", "--backend", "emulated", "--steps", "3", "--no-report"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const auto plan = summary_of("out/branches")["points"][0]["plans"][0];
  EXPECT_EQ(plan["backend"], "emulated");
  EXPECT_NEAR(plan["iteration_time_s"], 0.036, 1e-12);
  EXPECT_NEAR(plan["throughput_samples_per_s"], 8 / 0.036, 1e-6);
  EXPECT_EQ(plan["measured"]["steps"], 3);
  EXPECT_EQ(plan["measured"]["untraced"]["lower_quartile_s"], plan["iteration_time_s"]);
  EXPECT_TRUE(plan["measured"]["traced"].is_null());
  EXPECT_TRUE(plan["bubble_fraction"].is_null());  // would need a timeline
  EXPECT_FALSE(exists("out/branches/plans/graph/timeline.csv"));
}

TEST_F(RunVerb, SaysWhatMemoryCpuDevicesTookAndWhatWasPredicted) {
  write_tower();
  const Ran ran = run({"run", "tower.yaml", "--backend", "cpu", "--plan", "two", "--steps", "2",
                       "--no-report", "-o", "ran"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const auto peaks = summary_of("ran")["points"][0]["plans"][0]["peak_memory_bytes"];
  const auto predicted = [&](std::size_t device) {
    return "(" + to_text(Bytes{peaks[device].get<std::uint64_t>()}) + " predicted)";
  };
  EXPECT_NE(ran.err.find("two: memory of d"), std::string::npos) << ran.err;
  EXPECT_TRUE(ran.err.find(predicted(0)) != std::string::npos ||
              ran.err.find(predicted(1)) != std::string::npos)
      << ran.err;
}

// One linear layer of 65 536 inputs in [-1, 1]: a step at the rate of 0.01 overshoots by a factor
// of hundreds, so that squares leave fp32 within 20 steps.
TEST_F(RunVerb, EndsAtTheStepWhoseLossIsNoNumber) {
  write_file("diverging.yaml",
             "name: diverging\n"
             "model: {family: mlp, layers: 1, inputs: 65536, hidden: 8, outputs: 4,\n"
             "        activation: none}\n"
             "cluster: {shape: uniform, devices: 2, latency: 5 us, bandwidth: 10 GB/s,\n"
             "          device: {memory: 1 GiB, peak: {fp32: 10 GFLOP/s},\n"
             "                   memory_bandwidth: 10 GB/s}}\n"
             "training: {mini_batch: 4, precision: fp32, optimizer: sgd}\n"
             "plans: [{planner: uniform}]\n");
  const Ran ran = run({"run", "diverging.yaml", "--backend", "cpu", "--steps", "30"});
  EXPECT_EQ(ran.code, ExitFault) << ran.err;
  EXPECT_NE(ran.err.find("the loss of step "), std::string::npos) << ran.err;
  EXPECT_FALSE(exists("out/diverging"));
}

// Whether this machine was disturbed is its affair; that it was watched is not.
TEST_F(RunVerb, SaysWhatTheMachineDidMeanwhileWhereTimesAreItsOwn) {
  write_tower();
  const Ran ran = run({"run", "tower.yaml", "--backend", "cpu", "--plan", "two", "--steps", "4",
                       "--trace", "--no-report", "-o", "ran"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const auto measured = summary_of("ran")["points"][0]["plans"][0]["measured"];
  const int disturbed = measured["disturbed"];
  EXPECT_LE(disturbed, 8);  // 4 untraced and 4 traced steps
  EXPECT_EQ(ran.err.find("the machine did other things in " + std::to_string(disturbed) +
                         " of 8 steps") != std::string::npos,
            disturbed > 0)
      << ran.err;
  EXPECT_EQ(measured["no_verdict"].is_null(), disturbed <= 4);
  EXPECT_TRUE(measured["clock_bound_s"].is_null());
  EXPECT_TRUE(measured["times_from"].is_null());
}

TEST_F(RunVerb, SaysWhatThePrecisionTheBackendAndTheFileHaveToBe) {
  write_tower();
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, ExitBadInput) << ran.err;
    return ran.err;
  };
  EXPECT_NE(refused({"tower.yaml", "--backend", "cpu", "--set", "training.precision=bf16"})
                .find("the backend 'cpu' does not compute in bf16; expected fp32 or fp32_tensor"),
            std::string::npos);
  EXPECT_NE(refused({"tower.yaml", "--backend", "gpu"}).find("expected 'cuda' for GPUs"),
            std::string::npos);
  EXPECT_NE(refused({"tower.yaml", "--backend", "cpu", "--steps", "many"})
                .find("expected mini-batches that are timed, 1 to 16777216"),
            std::string::npos);
  EXPECT_NE(
      refused({"tower.yaml", "--backend", "cpu", "--deadline", "1e7 s"})
          .find("--deadline: nobody waits that long; expected a time above 0 and up to 1e6 s"),
      std::string::npos);
  EXPECT_NE(refused({"tower.yaml", "--backend", "cpu", "--deadline", "1e300 s"})
                .find("'1e300 s' is too large; expected a time above 0 and up to 1e6 s"),
            std::string::npos);
  write_file("model.yaml", "{family: mlp, layers: 1, hidden: 8, inputs: 8, outputs: 4}\n");
  EXPECT_NE(refused({"model.yaml", "--backend", "cpu"}).find("model.yaml: is a model"),
            std::string::npos);
  EXPECT_FALSE(exists("out"));  // nothing is left of what was refused, nor around it
}

TEST_F(RunVerb, NamesThePrecisionThatNoDeviceHasAPeakFor) {
  write_file("peaks.yaml",
             "model: {family: mlp, layers: 1, hidden: 8, inputs: 8, outputs: 4}\n"
             "cluster: {shape: uniform, devices: 1, latency: 1 us, bandwidth: 1 GB/s,\n"
             "          device: {memory: 1 GiB, peak: {fp32: 1 GFLOP/s}}}\n"
             "training: {mini_batch: 4, precision: tf32}\n"
             "plans: [{planner: uniform}]\n");
  const Ran ran = run({"simulate", "peaks.yaml"});
  EXPECT_EQ(ran.code, ExitBadInput);
  EXPECT_NE(ran.err.find("no device of the cluster has a peak for tf32; expected 'peak: {tf32"),
            std::string::npos)
      << ran.err;
}

TEST_F(RunVerb, ExecutesTheChosenPlanAndPointOnly) {
  write_branches("sweep: {training.mini_batch: [4, 8]}\n");
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--plan", "chain",
                       "--point", "1", "--no-report"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  const auto points = summary_of("out/branches")["points"];
  ASSERT_EQ(points.size(), 1);
  EXPECT_EQ(points[0]["point"]["training.mini_batch"], 8);
  ASSERT_EQ(points[0]["plans"].size(), 1);
  EXPECT_EQ(points[0]["plans"][0]["name"], "chain");
}

TEST_F(RunVerb, SaysWhatTracingCosts) {
  write_branches();
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--trace", "--no-report"});
  EXPECT_NE(ran.err.find("graph: tracing changes the median of a step by +0 s"), std::string::npos)
      << ran.err;
}

// A step takes 36 ms at least, since each waits for its modelled time.
TEST_F(RunVerb, RealTimeIsWaitedFor) {
  write_branches();
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--real-time", "--steps",
                       "1", "--warm-up", "0", "--no-report"});
  ASSERT_EQ(ran.code, ExitDone) << ran.err;
  EXPECT_GE(summary_of("out/branches")["points"][0]["plans"][0]["iteration_time_s"], 0.036);
}

TEST_F(RunVerb, RefusesAProgramThatCanNeverEnd) {
  write_branches();
  write_file("dead.txt", k_deadlock);
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--program", "dead.txt"});
  EXPECT_EQ(ran.code, ExitBadInput);
  EXPECT_NE(ran.err.find("dead.txt: deadlock: recv F0[0,1)<d1 on d0 needs"), std::string::npos)
      << ran.err;
}

TEST_F(RunVerb, AForcedDeadlockIsNamed) {
  write_branches();
  write_file("dead.txt", k_deadlock);
  const Ran ran = run(
      {"run", "branches.yaml", "--backend", "emulated", "--program", "dead.txt", "--no-validate"});
  EXPECT_EQ(ran.code, ExitFault);
  EXPECT_NE(ran.err.find("deadlock: #0 recv F0[0,1)<d1 on d0 waits for #3 send F0[0,1)>d0 on d1"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("  d1    #2 recv F0[0,1)<d0 waits for #1 send F0[0,1)>d1 on d0"),
            std::string::npos)
      << ran.err;
}

TEST_F(RunVerb, FindsALostMessage) {
  write_branches();
  // The first transfer of the graph plan.
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--misbehave",
                       "drop=1,lanes=one,delay=100 us,seed=2"});
  EXPECT_EQ(ran.code, ExitFault);
  EXPECT_NE(ran.err.find("no message is on its way"), std::string::npos) << ran.err;
  EXPECT_FALSE(exists("out/branches"));
}

TEST_F(RunVerb, ExecutesAProgramInTextForm) {
  write_branches();
  write_file("pair.txt",
             "devices 2\nstage 0 s\n"
             "0 d0 compute: F0[0,1) time 3 ms\n"
             "1 d0 to d1: send F0[0,1)>d1 bytes 8 after 0\n"
             "2 d1 from d0: recv F0[0,1)<d0 bytes 8\n"
             "3 d1 compute: F0[0,1) time 4 ms after 2\n");
  const Ran ran = run({"run", "branches.yaml", "--backend", "emulated", "--program", "pair.txt"});
  EXPECT_EQ(ran.code, ExitDone) << ran.err;
  EXPECT_NE(ran.out.find("a step: median 7 ms"), std::string::npos) << ran.out;
}

TEST_F(RunVerb, RefusesWhatItCannotDo) {
  write_branches();
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "branches.yaml"});
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, ExitBadInput);
    return ran.err;
  };
  EXPECT_NE(error({"--backend", "emulatd"}).find("'emulated'"), std::string::npos);
  EXPECT_NE(error({"--backend", "emulated", "--steps", "0"}).find("--steps"), std::string::npos);
  EXPECT_NE(error({"--backend", "emulated", "--deadline", "5"}).find("--deadline"),
            std::string::npos);
  EXPECT_NE(error({"--backend", "emulated", "--program", "none.txt"}).find("none.txt"),
            std::string::npos);
  for (const std::string wrong :
       {"drop", "drop=x", "delay=3", "delay=1e7 s", "eager=1 s", "los=1", "lanes=2"})
    EXPECT_NE(error({"--backend", "emulated", "--misbehave", wrong}).find("--misbehave"),
              std::string::npos)
        << wrong;
  EXPECT_NE(error({}).find("--backend"), std::string::npos);
}

// Of the graph plan, 0 is the first compute, 1 its message.
TEST_F(RunVerb, RefusesFaultsOfWhatIsNoMessage) {
  write_branches();
  for (const std::string fault : {"drop", "kill", "wrong_size"})
    for (const std::string id : {"0", "99999999"}) {
      const Ran ran =
          run({"run", "branches.yaml", "--backend", "emulated", "--misbehave", fault + "=" + id});
      EXPECT_EQ(ran.code, ExitBadInput);
      EXPECT_NE(ran.err.find("--misbehave: " + fault + ": "), std::string::npos) << ran.err;
      EXPECT_NE(ran.err.find("#" + id), std::string::npos) << ran.err;
    }
}

}  // namespace
}  // namespace pipegraph::test
