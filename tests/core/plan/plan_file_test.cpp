// Plan -> file -> plan is the identity, and the file stands by itself.
#include "core/plan/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/files.h"
#include "core/plan/plan_reader.h"
#include "core/plan/plan_text.h"
#include "tests/core/plan/tiny_plans.h"

namespace pipegraph {
namespace {

using ::testing::StartsWith;

PlanOrigin origin() {
  return {.model = YamlValue::parse("{family: mlp, layers: 4}", "f"),
          .cluster = YamlValue::parse("{shape: uniform, devices: 4}", "f"),
          .training = {16, Precision::Fp16, Optimizer::Adam}};
}

TEST(PlanFile, APlanReadsBackAsItself) {
  const Workload workload = test::tiny_workload();
  const Plan plan = test::full_plan();
  const std::string text = to_yaml_text(plan, *workload.graph);
  const Plan again = read_plan(YamlValue::parse(text, "f"), workload).plan;
  EXPECT_TRUE(test::equal(again, plan)) << text;
  EXPECT_EQ(to_yaml_text(again, *workload.graph), text);
}

TEST(PlanFile, UnlimitedReceiveSlotsReadBack) {
  const Workload workload = test::tiny_workload();
  Plan plan = test::full_plan();
  plan.receive_slots = 0;
  const std::string text = to_yaml_text(plan, *workload.graph);
  EXPECT_TRUE(test::equal(read_plan(YamlValue::parse(text, "f"), workload).plan, plan)) << text;
}

TEST(PlanFile, AnInfiniteObjectiveReadsBack) {
  const Workload workload = test::tiny_workload();
  Plan plan = test::full_plan();
  plan.objective->value = std::numeric_limits<double>::infinity();
  const std::string text = to_yaml_text(plan, *workload.graph);
  EXPECT_EQ(read_plan(YamlValue::parse(text, "f"), workload).plan.objective, plan.objective);
}

TEST(PlanFile, LongListsAreBrokenIntoLines) {
  std::vector<Operator> operators(60);
  for (std::size_t i = 0; i < operators.size(); ++i) operators[i].name = fmt::format("layer{}", i);
  Workload workload = test::tiny_workload();
  workload.graph = std::make_shared<ComputationGraph>("wide", operators);
  Plan plan;
  plan.name = "p";
  plan.stages.push_back({.name = "s", .devices = {DeviceId{0}}});
  for (std::size_t i = 0; i < operators.size(); ++i)
    plan.stages[0].operators.push_back(make_id<OperatorId>(i));
  const std::string text = to_yaml_text(plan, *workload.graph);
  std::size_t longest = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    longest = std::max(longest, end - at);
  }
  EXPECT_LE(longest, 100U);
  EXPECT_EQ(read_plan(YamlValue::parse(text, "f"), workload).plan.stages[0].operators,
            plan.stages[0].operators);
}

TEST(PlanFile, NamesModelClusterAndTraining) {
  const Workload workload = test::tiny_workload();
  const std::string text = plan_file_text(test::full_plan(), *workload.graph, origin());
  const YamlValue document = YamlValue::parse(text, "f");
  ASSERT_TRUE(is_plan_document(document));
  const PlanDocument parts = read_plan_document(document);
  EXPECT_EQ(parts.origin.model.to_yaml_text(), origin().model.to_yaml_text());
  EXPECT_EQ(parts.origin.cluster.to_yaml_text(), origin().cluster.to_yaml_text());
  EXPECT_EQ(parts.origin.training, origin().training);
  EXPECT_TRUE(test::equal(read_plan(parts.plan, workload).plan, test::full_plan()));
  EXPECT_EQ(plan_file_text(test::full_plan(), *workload.graph, parts.origin), text);
}

TEST(PlanFile, ACutFileIsRefusedWhereverItWasCut) {
  const Workload workload = test::tiny_workload();
  const std::string text = plan_file_text(test::full_plan(), *workload.graph, origin());
  const std::size_t whole = text.size() - 1;  // only the last line's end is missing
  EXPECT_NO_THROW(read_plan_document(YamlValue::parse(text.substr(0, whole), "f")));
  for (std::size_t length = 0; length < whole; ++length)
    EXPECT_THROW(read_plan_document(YamlValue::parse(text.substr(0, length), "f")), ConfigError)
        << text.substr(0, length);
}

TEST(PlanFile, ACutFileIsNamedAsSuch) {
  const Workload workload = test::tiny_workload();
  const std::string text = plan_file_text(test::full_plan(), *workload.graph, origin());
  for (const char* last : {"training: ", "\nplan:\n", "    k: "}) {
    const std::size_t end = text.find('\n', text.rfind(last) + 1) + 1;
    const YamlValue cut = YamlValue::parse(text.substr(0, end), "f");
    ASSERT_TRUE(is_plan_document(cut)) << last;
    try {
      read_plan_document(cut);
      ADD_FAILURE() << "cut behind " << last;
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(),
                   "f:2:12: ends_with: the key 'end' is missing: the file was cut; expected the "
                   "whole file; or no 'ends_with', if nothing else is missing");
    }
  }
}

TEST(PlanFile, EditedAndOlderFilesAreTakenAsTheyAre) {
  const Workload workload = test::tiny_workload();
  const std::string text = plan_file_text(test::full_plan(), *workload.graph, origin());
  const auto without = [](std::string from, const std::string& line) {
    const std::size_t at = from.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    return from.erase(at, line.size());
  };
  const auto plan_of = [&](const std::string& of) {
    return read_plan(read_plan_document(YamlValue::parse(of, "f")).plan, workload).plan;
  };
  const std::string older = without(without(text, "ends_with: end\n"), "end: true\n");
  EXPECT_TRUE(test::equal(plan_of(older), test::full_plan()));
  EXPECT_EQ(plan_of(without(text, "\n      k: 2")).stages[0].k, 1);
}

TEST(PlanFile, RefusesOtherFormatsAndMissingParts) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      read_plan_document(YamlValue::parse(text, "f"));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("{format: 2, plan: {}}"),
            "f:1:10: format: format 2 is not known; expected format: 1");
  EXPECT_EQ(error_of("{format: 1, plan: {}}"),
            "f:1:1: missing key 'model'; expected a plan file with 'model'");
  EXPECT_THAT(error_of("{format: 1, plan: {}, model: {}, cluster: {}, training: {}}"),
              StartsWith("f:1:57: training: missing key 'mini_batch'"));
  EXPECT_FALSE(is_plan_document(YamlValue::parse("{name: x, plans: []}", "f")));
}

/// A folder with a cluster file, removed at the end.
class PlanFileInlining : public ::testing::Test {
 protected:
  PlanFileInlining() {
    std::filesystem::create_directories(folder_);
    write_file(folder_ / "fast.yaml", "shape: uniform\ndevices: 2\n");
  }
  ~PlanFileInlining() override { std::filesystem::remove_all(folder_); }
  YamlValue parse(const std::string& text) const {
    return YamlValue::parse(text, (folder_ / "scenario.yaml").string());
  }
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                        ("pipegraph_plan_file_test_" + std::to_string(::getpid()));
};

TEST_F(PlanFileInlining, WritesAFileWithItsOverridesInto) {
  EXPECT_EQ(with_file_inlined(parse("{file: fast.yaml, devices: 8}")).to_yaml_text(),
            "shape: uniform\ndevices: 8\nname: fast\n");
  EXPECT_EQ(with_file_inlined(parse("{file: fast.yaml, name: mine}")).to_yaml_text(),
            "shape: uniform\ndevices: 2\nname: mine\n");
}

TEST_F(PlanFileInlining, ChangesWhatAKeyWithDotsLeadsTo) {
  write_file(folder_ / "nodes.yaml",
             "shape: node_cluster\nnics: {per_node: 2, bandwidth: 1 GB/s}\n");
  write_file(folder_ / "named.yaml", "file: nodes.yaml\nnics.per_node: 4\n");
  const std::string inlined = "shape: node_cluster\nnics:\n  per_node: 4\n  bandwidth: 3 GB/s\n";
  EXPECT_EQ(with_file_inlined(parse("{file: named.yaml, nics.bandwidth: 3 GB/s}")).to_yaml_text(),
            inlined + "name: named\n");
}

TEST_F(PlanFileInlining, FollowsFilesThatNameFiles) {
  write_file(folder_ / "faster.yaml", "file: fast.yaml\nlatency: 1 us\n");
  EXPECT_EQ(with_file_inlined(parse("{file: faster.yaml, devices: 3}")).to_yaml_text(),
            "shape: uniform\ndevices: 3\nlatency: 1 us\nname: faster\n");
  write_file(folder_ / "loop.yaml", "file: loop.yaml\n");
  EXPECT_THROW(with_file_inlined(parse("{file: loop.yaml}")), ConfigError);
}

TEST_F(PlanFileInlining, KeepsWhatNamesNoFile) {
  EXPECT_EQ(with_file_inlined(parse("{family: mlp}")).to_yaml_text(), "family: mlp\n");
}

TEST_F(PlanFileInlining, MakesTheFileOfAnImportAbsolute) {
  const YamlValue value = with_file_inlined(parse("{import: some, file: net.txt}"));
  EXPECT_EQ(value.find("file")->as_string(), (folder_ / "net.txt").string());
}

}  // namespace
}  // namespace pipegraph
