// Scenarios: every key, defaults, refusals, and plan files as scenarios.
#include "core/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/files.h"

namespace pipegraph {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view k_minimal =
    "model: {family: mlp}\n"
    "cluster: {shape: uniform, devices: 4}\n"
    "training: {mini_batch: 128}\n";

Scenario read(const std::string& more) {
  return read_scenario(YamlValue::parse(std::string(k_minimal) + more, "dir/study.yaml"));
}

std::string error_of(const std::string& more) {
  try {
    read(more);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scenario, HasDefaults) {
  const Scenario scenario = read("plans: [{planner: balanced}]\n");
  EXPECT_EQ(scenario.name, "study");
  EXPECT_EQ(scenario.model.find("family")->as_string(), "mlp");
  EXPECT_EQ(scenario.training.mini_batch, 128);
  EXPECT_EQ(scenario.simulation.backend, BackendKind::SimGrid);
  EXPECT_EQ(scenario.simulation.network, NetworkKind::Ideal);
  EXPECT_TRUE(scenario.simulation.overlap);
  EXPECT_EQ(scenario.memory, MemoryPolicy::Error);
  ASSERT_EQ(scenario.plans.size(), 1U);
  EXPECT_EQ(scenario.plans[0].name, "balanced");
  EXPECT_EQ(scenario.plans[0].source, PlanRequest::Source::Planner);
}

TEST(Scenario, ReadsEveryKey) {
  const Scenario scenario = read(
      "name: other\n"
      "simulation: {backend: analytic, network: lv08, overlap: false, collective: ring, mode: "
      "full}\n"
      "memory: report\n"
      "plans:\n"
      "  - {planner: manual, micro_batch: 1, stages: []}\n"
      "  - {planner: balanced, name: mine, kind: sequential}\n");
  EXPECT_EQ(scenario.name, "other");
  EXPECT_EQ(scenario.simulation.backend, BackendKind::Analytic);
  EXPECT_EQ(scenario.simulation.network, NetworkKind::Lv08);
  EXPECT_FALSE(scenario.simulation.overlap);
  EXPECT_EQ(scenario.simulation.collective, "ring");
  EXPECT_EQ(scenario.simulation.mode, SimulationMode::Full);
  EXPECT_EQ(scenario.memory, MemoryPolicy::Report);
  EXPECT_EQ(scenario.plans[0].source, PlanRequest::Source::Given);
  EXPECT_EQ(scenario.plans[1].name, "mine");
  EXPECT_EQ(scenario.plans[1].value.find("kind")->as_string(), "sequential");
}

TEST(Scenario, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(error_of(""),
            "dir/study.yaml:1:1: missing key 'plans'; expected a scenario with 'plans'");
  EXPECT_EQ(error_of("plans: []\n"),
            "dir/study.yaml:4:8: plans: there is no plan; expected at least one, e.g. {planner: "
            "balanced}");
  EXPECT_EQ(
      error_of("plans: [{planner: a}, {planner: a}]\n"),
      "dir/study.yaml:4:23: plans[1]: two plans are named 'a'; expected 'name:' with a name of "
      "its own");
  EXPECT_THAT(
      error_of("plans: [{kind: graph}]\n"),
      StartsWith("dir/study.yaml:4:9: plans[0]: the plan has neither 'planner' nor 'file'"));
  EXPECT_THAT(error_of("plans: [{planner: a}]\nsimulaton: {}\n"),
              StartsWith("dir/study.yaml:5:1: simulaton: unknown key in a scenario; expected "
                         "'simulation'"));
  EXPECT_THAT(error_of("plans: [{planner: a}]\nsimulation: {network: lv8}\n"),
              StartsWith("dir/study.yaml:5:23: simulation.network: unknown value 'lv8'; expected "
                         "'lv08'"));
  EXPECT_THAT(error_of("plans: [{planner: a}]\nmemory: ignore\n"),
              StartsWith("dir/study.yaml:5:9: memory: unknown value 'ignore'"));
  EXPECT_EQ(error_of("plans: [{planner: a, name: \"b\\nc\"}]\n"),
            "dir/study.yaml:4:9: plans[0]: the name has a line break or another control character; "
            "expected a name of one line");
  EXPECT_THAT(error_of("plans: [{file: none.yaml}]\n"),
              StartsWith("dir/study.yaml:4:16: plans[0].file: there is no file 'dir/none.yaml'"));
}

/// A plan file in a folder of its own.
class ScenarioOfPlanFile : public ::testing::Test {
 protected:
  ScenarioOfPlanFile() {
    std::filesystem::create_directories(folder_);
    write_file(folder_ / "plan.yaml",
               "format: 1\n"
               "model: {family: gpt}\n"
               "cluster: {shape: uniform, devices: 2}\n"
               "training: {mini_batch: 8}\n"
               "plan: {name: found, planner: piper, stages: []}\n");
  }
  ~ScenarioOfPlanFile() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("pipegraph_scenario_test_" + std::to_string(::getpid()));
};

TEST_F(ScenarioOfPlanFile, APlanFileIsTheScenarioOfItsPlan) {
  const Scenario scenario = read_scenario(YamlValue::load(folder_ / "plan.yaml"));
  EXPECT_EQ(scenario.name, "found");
  EXPECT_EQ(scenario.model.find("family")->as_string(), "gpt");
  EXPECT_EQ(scenario.training.mini_batch, 8);
  EXPECT_EQ(scenario.plans[0].planner, "piper");
  EXPECT_EQ(scenario.plans[0].source, PlanRequest::Source::Given);
}

TEST_F(ScenarioOfPlanFile, SaysHowItIsSimulatedWhereAsked) {
  const YamlValue plan = YamlValue::load(folder_ / "plan.yaml");
  EXPECT_EQ(read_scenario(plan).simulation.backend, BackendKind::SimGrid);
  const Scenario scenario = read_scenario(
      plan.with("simulation.backend", "analytic", "--set").with("memory", "report", "--set"));
  EXPECT_EQ(scenario.simulation.backend, BackendKind::Analytic);
  EXPECT_EQ(scenario.memory, MemoryPolicy::Report);
  EXPECT_THROW(read_scenario(plan.with("simulation.backend", "x", "--set")), ConfigError);
}

TEST_F(ScenarioOfPlanFile, APlanOfAFileCompetesInAScenario) {
  const std::string text =
      std::string(k_minimal) + "plans: [{file: plan.yaml}, {file: plan.yaml, name: again}]\n";
  const Scenario scenario =
      read_scenario(YamlValue::parse(text, (folder_ / "scenario.yaml").string()));
  EXPECT_EQ(scenario.model.find("family")->as_string(), "mlp");
  EXPECT_EQ(scenario.plans[0].name, "found");
  EXPECT_EQ(scenario.plans[1].name, "again");
  EXPECT_EQ(scenario.plans[1].value.find("name")->as_string(), "found");
}

/// A plan file of two stages, and plans that change what it says.
class ChangedPlanOfFile : public ScenarioOfPlanFile {
 protected:
  ChangedPlanOfFile() {
    write_file(
        folder_ / "plan.yaml",
        "format: 1\n"
        "model: {family: gpt}\n"
        "cluster: {shape: uniform, devices: 2}\n"
        "training: {mini_batch: 8}\n"
        "plan:\n"
        "  {name: found, planner: graphpipe, schedule: kfkb, extra_in_flight: 2,\n"
        "   stages: [{operators: [a], micro_batch: 4, k: 2}, {operators: [b], micro_batch: 2,\n"
        "   k: 1, in_flight: 4}], objective: {name: x, value: 1}, search: {exact: true}}\n");
  }
  /// The plan's text after the keys of `changes`, in braces.
  std::string changed(const std::string& changes) const {
    const std::string text = std::string(k_minimal) + "plans: [{file: plan.yaml" + changes + "}]\n";
    return read_scenario(YamlValue::parse(text, (folder_ / "scenario.yaml").string()))
        .plans[0]
        .value.to_yaml_text();
  }
};

TEST_F(ChangedPlanOfFile, AnotherScheduleForgetsWhatWasChosenForTheFirst) {
  EXPECT_EQ(changed(", schedule: gpipe"),
            "name: found\nplanner: graphpipe\nschedule: gpipe\nstages:\n"
            "  -\n    operators: [a]\n    micro_batch: 4\n"
            "  -\n    operators: [b]\n    micro_batch: 2\n");
  EXPECT_THAT(changed(", schedule: kfkb"), HasSubstr("k: 2"));
}

TEST_F(ChangedPlanOfFile, WhatIsSaidForAllStagesTakesThePlaceOfTheirOwn) {
  EXPECT_EQ(changed(", micro_batch: 1, k: 4, receive_slots: 3"),
            "name: found\nplanner: graphpipe\nschedule: kfkb\nextra_in_flight: 2\nstages:\n"
            "  -\n    operators: [a]\n"
            "  -\n    operators: [b]\n    in_flight: 4\n"
            "receive_slots: 3\nmicro_batch: 1\nk: 4\n");
}

TEST_F(ChangedPlanOfFile, AnUnchangedPlanKeepsItsSearch) {
  EXPECT_THAT(changed(", name: again"), HasSubstr("search:"));
}

TEST_F(ChangedPlanOfFile, RefusesWhatWouldNeedAnotherPlan) {
  try {
    changed(", devices: [0]");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("devices: unknown key in a plan of a file"));
  }
}

}  // namespace
}  // namespace pipegraph
