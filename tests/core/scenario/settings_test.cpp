// Values set on the command line.
#include "core/scenario/settings.h"

#include <gtest/gtest.h>

namespace pipegraph {
namespace {

YamlValue example() {
  return YamlValue::parse(
      "training: {mini_batch: 128}\n"
      "sweep: {cluster.nodes: [1, 2], zip: {a: [1], b: [2]}}\n",
      "dir/s.yaml");
}

std::string error_of(const std::string& setting) {
  try {
    with_settings(example(), {setting});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Settings, ReplaceAndAddInOrder) {
  const YamlValue document =
      with_settings(example(), {"training.mini_batch=64", "simulation.backend=analytic",
                                "training.mini_batch=32", "name=a=b", "text="});
  EXPECT_EQ(document.find("training")->find("mini_batch")->as_integer(), 32);
  EXPECT_EQ(document.find("simulation")->find("backend")->as_string(), "analytic");
  EXPECT_EQ(document.find("name")->as_string(), "a=b");
  EXPECT_EQ(document.find("text")->as_string(), "");
}

TEST(Settings, AChangedPlanFileForgetsHowItsPlanWasFound) {
  const YamlValue file = YamlValue::parse(
      "{format: pipegraph-plan-1, model: {}, cluster: {}, training: {mini_batch: 8},\n"
      " plan: {objective: {name: x, value: 1}, search: {exact: true}, stages: []}}\n",
      "plan.yaml");
  const auto has = [](const YamlValue& document, const char* key) {
    return document.find("plan")->find(key).has_value();
  };
  const YamlValue same = with_settings(file, {"simulation.backend=analytic"});
  EXPECT_TRUE(has(same, "objective") && has(same, "search"));
  const YamlValue changed = with_settings(file, {"training.mini_batch=16"});
  EXPECT_FALSE(has(changed, "objective") || has(changed, "search"));
  EXPECT_TRUE(has(changed, "stages"));
}

TEST(Settings, PathsOfFilesAreRelativeToTheWorkingDirectory) {
  const YamlValue document = with_settings(example(), {"cluster.file=near.yaml"});
  EXPECT_EQ(document.find("cluster")->find("file")->as_path(), std::filesystem::path("near.yaml"));
}

TEST(Settings, RefuseWhatIsNoSetting) {
  EXPECT_EQ(error_of("training"),
            "--set training: is not PATH=VALUE; expected e.g. --set training.mini_batch=64");
  EXPECT_EQ(
      error_of("cluster.nodes=4"),
      "--set: cluster.nodes: the scenario sweeps this key; expected --set sweep={} before it, "
      "to switch the sweep off");
  EXPECT_EQ(error_of("b=4").substr(0, 9), "--set: b:");
  EXPECT_EQ(error_of("a.c[0]=4"),
            "--set: a.c[0]: the scenario sweeps 'a', all of it; expected --set sweep={} before it, "
            "to switch the sweep off");
  EXPECT_EQ(error_of("training.mini_batch=[").substr(0, 8), "--set:1:");
}

TEST(Settings, ASweepCanBeSwitchedOff) {
  EXPECT_NO_THROW(with_settings(example(), {"sweep={}", "cluster.nodes=4"}));
}

}  // namespace
}  // namespace pipegraph
