#include "core/profile/program_hash.h"

#include <gtest/gtest.h>

#include "core/program/lower.h"
#include "core/schedule/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

struct Case {
  ComputationGraph graph = test::chain_graph(2);
  Training training{.mini_batch = 4};
  std::int32_t micro_batch = 2;
  std::string schedule = "1f1b";
  std::vector<OperatorId> recompute{};
  Topology topology = test::ideal_cluster(2);
};

std::string hash_of(const Case& of) {
  const Workload workload = test::tiny_workload(of.graph, of.topology, of.training);
  std::vector<Stage> stages = test::stage_per_operator(of.graph, of.micro_batch);
  stages[0].recompute = of.recompute;
  const StageGraph graph(of.graph, std::move(stages), PlanKind::Graph);
  const Schedule schedule = std::get<Schedule>(
      make_schedule(graph, *find_schedule(of.schedule), {.mini_batch = of.training.mini_batch}));
  return program_hash(workload, graph, lower(workload, graph, schedule));
}

TEST(ProgramHash, IsSixteenHexadecimalDigitsAndRepeats) {
  EXPECT_EQ(hash_of({}).size(), 16U);
  EXPECT_EQ(hash_of({}).find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(hash_of({}), hash_of({}));
}

TEST(ProgramHash, DependsOnWhatIsDone) {
  const std::string base = hash_of({});
  EXPECT_NE(hash_of({.micro_batch = 1}), base);
  EXPECT_NE(hash_of({.training = {.mini_batch = 8}}), base);
  EXPECT_NE(hash_of({.training = {.mini_batch = 4, .optimizer = Optimizer::Adam}}), base);
  EXPECT_NE(hash_of({.training = {.mini_batch = 4, .precision = Precision::Bf16}}), base);
  EXPECT_NE(hash_of({.schedule = "gpipe"}), base);
  EXPECT_NE(hash_of({.recompute = {OperatorId{0}}}), base);
  EXPECT_NE(hash_of({.graph = test::chain_graph(2, {.output = Bytes{8}})}), base);
  EXPECT_NE(hash_of({.graph = test::chain_graph(2, {.forward = Seconds{3}})}), base);
}

TEST(ProgramHash, DoesNotDependOnTheMachine) {
  Device slow;
  slow.slowdown = 2.0;
  EXPECT_EQ(hash_of({.topology = test::delayed_cluster(2, Seconds{1}, slow)}), hash_of({}));
}

TEST(ModelHash, DependsOnTheOperators) {
  const std::string base = model_hash(test::chain_graph(2));
  EXPECT_EQ(model_hash(test::chain_graph(2)), base);
  EXPECT_NE(model_hash(test::chain_graph(3)), base);
  EXPECT_NE(model_hash(test::chain_graph(2, {.parameters = Bytes{4}})), base);
}

}  // namespace
}  // namespace pipegraph
