// Replaced nodes and merged maps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/yaml_reader.h"

namespace pipegraph {
namespace {

using ::testing::ElementsAre;

const YamlValue& scenario() {
  static const YamlValue value = YamlValue::parse(
      "training: {mini_batch: 128}\n"
      "plans:\n"
      "  - {planner: piper}\n",
      "dir/s.yaml");
  return value;
}

std::string set_error(std::string_view path, std::string_view value) {
  try {
    scenario().with(path, value, "--set");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(YamlEdit, ReplacesANodeAndLeavesTheOriginal) {
  const YamlValue edited = scenario().with("training.mini_batch", "64", "--set");
  const YamlValue value = edited.find("training")->find("mini_batch").value();
  EXPECT_EQ(value.as_integer(), 64);
  EXPECT_EQ(value.position().file, "--set");
  EXPECT_EQ(value.position().key, "training.mini_batch");
  EXPECT_EQ(scenario().find("training")->find("mini_batch")->as_integer(), 128);
}

TEST(YamlEdit, ReplacesInsideListsAndAddsKeys) {
  const YamlValue edited = scenario()
                               .with("plans[0].planner", "balanced", "--set")
                               .with("plans[0].kind", "graph", "--set")
                               .with("simulation", "{backend: analytic}", "--set")
                               .with("simulation.network", "ideal", "--set");
  const YamlValue plan = edited.find("plans")->items()[0];
  EXPECT_EQ(plan.find("planner")->as_string(), "balanced");
  EXPECT_EQ(plan.find("kind")->as_string(), "graph");
  EXPECT_EQ(edited.find("simulation")->find("network")->as_string(), "ideal");
}

TEST(YamlEdit, MakesMissingMapsOnTheWay) {
  const YamlValue edited = scenario().with("simulation.options.seed", "3", "--set");
  const YamlValue value = edited.find("simulation")->find("options")->find("seed").value();
  EXPECT_EQ(value.as_integer(), 3);
  EXPECT_EQ(edited.key_position("simulation").file, "--set");
  const YamlValue empty = YamlValue::parse("simulation:\n", "f");
  EXPECT_EQ(empty.with("simulation.seed", "3", "x").to_yaml_text(), "simulation:\n  seed: 3\n");
}

TEST(YamlEdit, RefusesPathsThatLeadNowhere) {
  EXPECT_EQ(set_error("plans[3].planner", "x"),
            "--set: plans[3].planner: there is no entry [3]; expected an index below 1");
  EXPECT_EQ(
      set_error("training[0]", "x"),
      "--set: training[0]: there is no list there; expected a key, as in 'training.mini_batch'");
  EXPECT_EQ(set_error("training.mini_batch.x", "1"),
            "--set: training.mini_batch.x: 'x' is not inside a map; expected a path through maps "
            "and lists to one value");
  for (const char* path : {"", ".", "a..b", "a.", "[x]", "[1", ".a", "a[]"})
    EXPECT_NE(set_error(path, "1"), "no error") << path;
  EXPECT_EQ(set_error("training.mini_batch", "[1").find("--set:1:"), 0U);
}

TEST(YamlEdit, AValueOfAnotherDocumentKeepsItsPlace) {
  const YamlValue other = YamlValue::parse("list:\n  - other.yaml\n", "elsewhere/o.yaml");
  const YamlValue edited = scenario().with("cluster", other.find("list")->items()[0], "sweep");
  const YamlValue value = edited.find("cluster").value();
  EXPECT_EQ(value.as_path(), std::filesystem::path("elsewhere/other.yaml"));
  EXPECT_EQ(value.position().line, 2);
  EXPECT_EQ(value.position().key, "cluster");
}

TEST(YamlEdit, APathIntoAFileReplacesOneValueWhenTheFileIsMerged) {
  const YamlValue scenario =
      YamlValue::parse("cluster: {file: c.yaml, nodes: 2, own: {a: 1}}", "s.yaml")
          .with("cluster.nics.bandwidth", "25 Gb/s", "--set")
          .with("cluster.links[1].lanes", "7", "--set")
          .with("cluster.own.a", "3", "--set");
  const YamlValue file = YamlValue::parse(
      "nodes: 1\nnics: {per_node: 2, bandwidth: 1 Gb/s}\nlinks: [{}, {lanes: 5}]", "c.yaml");
  const YamlValue merged = file.merged_with(scenario.find("cluster")->without("file"));
  EXPECT_EQ(merged.to_yaml_text(),
            "nodes: 2\nnics:\n  per_node: 2\n  bandwidth: 25 Gb/s\n"
            "links:\n  - {}\n  -\n    lanes: 7\nown:\n  a: 3\n");
  EXPECT_EQ(merged.find("nics")->find("per_node")->position().file, "c.yaml");
  EXPECT_EQ(merged.find("nics")->find("bandwidth")->position().file, "--set");
}

TEST(YamlEdit, OfPathsIntoAFileTheLastCounts) {
  const YamlValue file = YamlValue::parse("device: {peak: {fp32: 1}, memory: 2}", "c.yaml");
  const auto merged = [&](const std::vector<std::pair<std::string, std::string>>& settings) {
    YamlValue cluster = YamlValue::parse("file: c.yaml", "s.yaml");
    for (const auto& [path, value] : settings) cluster = cluster.with(path, value, "--set");
    return file.merged_with(cluster.without("file")).find("device")->to_yaml_text();
  };
  EXPECT_EQ(merged({{"device.memory", "3"}, {"device.memory", "4"}}),
            "peak:\n  fp32: 1\nmemory: 4\n");
  EXPECT_EQ(merged({{"device.peak.fp32", "5"}, {"device.peak", "{bf16: 6}"}}),
            "peak:\n  bf16: 6\nmemory: 2\n");
  EXPECT_EQ(merged({{"device.memory", "3"}, {"device", "{memory: 8}"}}), "memory: 8\n");
}

TEST(YamlEdit, MergingReplacesAndJoinsKeysWithTheirPlaces) {
  const YamlValue own = YamlValue::parse("a: 1\nb: 2\n", "cluster.yaml");
  const YamlValue over =
      YamlValue::parse("cluster:\n  b: 3\n  c: 4\n", "scenario.yaml").find("cluster").value();
  const YamlValue merged = own.merged_with(over);
  EXPECT_THAT(merged.keys(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(merged.find("b")->as_integer(), 3);
  EXPECT_EQ(merged.find("b")->position().key, "cluster.b");
  EXPECT_EQ(merged.find("b")->position().file, "scenario.yaml");
  EXPECT_EQ(merged.key_position("c").line, 3);
  EXPECT_EQ(merged.find("a")->position().key, "a");
  EXPECT_EQ(merged.find("a")->position().file, "cluster.yaml");
}

}  // namespace
}  // namespace pipegraph
