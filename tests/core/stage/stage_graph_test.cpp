#include "core/stage/stage_graph.h"

#include <gmock/gmock.h>

#include "core/stage/placement.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using test::stage_per_operator;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<OperatorId> ids(std::initializer_list<std::int32_t> values) {
  std::vector<OperatorId> result;
  for (const std::int32_t value : values) result.push_back(OperatorId{value});
  return result;
}

Stage stage(std::string name, std::initializer_list<std::int32_t> operators, int device) {
  Stage result;
  result.name = std::move(name);
  result.operators = ids(operators);
  result.devices = {DeviceId{device}};
  result.position = {.file = "plan.yaml", .line = 7, .column = 3, .key = "stages"};
  return result;
}

std::string error_of(const ComputationGraph& graph, std::vector<Stage> stages,
                     PlanKind kind = PlanKind::Graph) {
  try {
    const StageGraph made(graph, std::move(stages), kind);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(StageGraph, ContractsOperatorsAndAddsUpTensors) {
  // fork 0 -> left 1, right 2 -> join 3: the fork's tensor travels once to the stage of both.
  const StageGraph stages(test::diamond_graph(),
                          {stage("top", {0}, 0), stage("middle", {2, 1}, 1), stage("end", {3}, 2)},
                          PlanKind::Graph);
  EXPECT_THAT(stages.edges().edges(), ElementsAre(Digraph::Edge{0, 1}, Digraph::Edge{1, 2}));
  ASSERT_EQ(stages.transfers().size(), 2U);
  EXPECT_EQ(stages.transfers()[0].tensors, ids({0}));
  EXPECT_EQ(stages.transfers()[0].bytes, Bytes{1024});
  EXPECT_EQ(stages.transfers()[1].tensors, ids({1, 2}));
  EXPECT_EQ(stages.transfers()[1].bytes, Bytes{2048});
  EXPECT_EQ(stages.at(StageId{1}).operators, ids({1, 2}));
  EXPECT_EQ(stages.stage_of(OperatorId{2}), StageId{1});
}

TEST(StageGraph, DepthIsTheLongestPathAndOfASequentialPlanEveryStage) {
  const ComputationGraph graph = test::fork_join_graph(4, 2);  // 1 + 4 x 2 + 1 operators
  EXPECT_EQ(StageGraph(graph, stage_per_operator(graph), PlanKind::Graph).depth(), 4);
  EXPECT_EQ(StageGraph(graph, stage_per_operator(graph), PlanKind::Sequential).depth(), 10);
}

TEST(StageGraph, SequentialStagesAreOrderedWhereNoTensorFlows) {
  const ComputationGraph graph = test::diamond_graph();
  const StageGraph stages(graph, stage_per_operator(graph), PlanKind::Sequential);
  // Data: 0-1, 0-2, 1-3, 2-3; order: 0-1, 1-2, 2-3.
  EXPECT_THAT(stages.edges().edges(),
              ElementsAre(Digraph::Edge{0, 1}, Digraph::Edge{0, 2}, Digraph::Edge{1, 2},
                          Digraph::Edge{1, 3}, Digraph::Edge{2, 3}));
  EXPECT_TRUE(stages.transfers()[2].tensors.empty());
  EXPECT_EQ(stages.transfers()[2].bytes, Bytes{0});
}

TEST(StageGraph, RelayedTensorsHopThroughTheStagesBetween) {
  const ComputationGraph graph = test::diamond_graph();
  const StageGraph stages(graph, stage_per_operator(graph), PlanKind::Sequential,
                          SkipTransfer::Relay);
  // fork goes to 1 and on to 2; left goes over 2 to 3; right to 3.
  ASSERT_EQ(stages.transfers().size(), 3U);
  EXPECT_EQ(stages.transfers()[0].tensors, ids({0}));
  EXPECT_EQ(stages.transfers()[1].tensors, ids({0, 1}));
  EXPECT_EQ(stages.transfers()[2].tensors, ids({1, 2}));
}

TEST(StageGraph, SequentialOrderAgainstTheDataIsCyclicNotAnError) {
  const ComputationGraph graph = test::diamond_graph();
  std::vector<Stage> order{stage("s0", {0}, 0), stage("join", {3}, 1), stage("left", {1}, 2),
                           stage("right", {2}, 3)};
  for (const SkipTransfer skip : {SkipTransfer::Direct, SkipTransfer::Relay}) {
    const StageGraph stages(graph, order, PlanKind::Sequential, skip);
    EXPECT_FALSE(stages.acyclic());
    EXPECT_EQ(stages.depth(), 0);
  }
}

TEST(StageGraph, MissingOperatorsAreNamed) {
  EXPECT_EQ(error_of(test::chain_graph(3), {stage("only", {1}, 0)}),
            "plan.yaml:7:3: stages: no stage has operators 's0', 's2'; expected every operator in "
            "exactly one stage");
}

TEST(StageGraph, AnOperatorOfTwoStagesIsNamedWithBoth) {
  EXPECT_THAT(error_of(test::chain_graph(2), {stage("x", {0, 1}, 0), stage("y", {1}, 1)}),
              HasSubstr("operator 's1' is in stage 'x' and in stage 'y'"));
  EXPECT_THAT(error_of(test::chain_graph(1), {stage("x", {0, 0}, 0)}),
              HasSubstr("operator 's0' is in stage 'x' and in stage 'x'"));
}

TEST(StageGraph, AStageThatIsNotConvexIsRefusedWithThePath) {
  EXPECT_THAT(error_of(test::chain_graph(3), {stage("ends", {0, 2}, 0), stage("mid", {1}, 1)}),
              HasSubstr("stage 'ends' is not convex: the path s0 -> s1 -> s2 leaves it"));
}

TEST(StageGraph, ConvexStagesThatNeedEachOtherAreRefusedInAGraphPlan) {
  // Two chains a0 -> a1 and b0 -> b1: {a0, b1} and {a1, b0} are convex, yet need each other.
  std::vector<Operator> operators;
  for (const char* name : {"a0", "a1", "b0", "b1"})
    operators.push_back(test::tiny_operator(name, {}));
  operators[1].inputs = ids({0});
  operators[3].inputs = ids({2});
  const ComputationGraph graph("chains", operators);
  const std::vector<Stage> crossed{stage("x", {0, 3}, 0), stage("y", {1, 2}, 1)};
  EXPECT_THAT(error_of(graph, crossed), HasSubstr("stage 'x' -> stage 'y' -> stage 'x'"));
  EXPECT_FALSE(StageGraph(graph, crossed, PlanKind::Sequential).acyclic());
}

TEST(StageGraph, BadStagesAreRefused) {
  const ComputationGraph graph = test::chain_graph(1);
  const auto error_with = [&](auto change) {
    Stage changed = stage("s", {0}, 0);
    change(changed);
    return error_of(graph, {changed});
  };
  EXPECT_THAT(error_with([](Stage& s) { s.devices.clear(); }), HasSubstr("has no devices"));
  EXPECT_THAT(error_with([](Stage& s) {
                s.devices = {DeviceId{1}, DeviceId{1}};
              }),
              HasSubstr("has device 1 twice"));
  EXPECT_THAT(error_with([](Stage& s) {
                s.devices = {DeviceId{0}, DeviceId{1}};
              }),
              HasSubstr("a micro-batch of 1 samples for 2 replicas"));
  EXPECT_THAT(error_with([](Stage& s) { s.micro_batch = 0; }), HasSubstr("micro-batch of 0"));
  EXPECT_THAT(error_with([](Stage& s) { s.k = 0; }), HasSubstr("k = 0"));
  EXPECT_THAT(error_with([](Stage& s) { s.in_flight = 0; }), HasSubstr("in_flight 0"));
  EXPECT_THAT(error_with([](Stage& s) { s.tensor_parallel = 2; }), HasSubstr("tensor_parallel 2"));
  EXPECT_THAT(error_with([](Stage& s) { s.operators.clear(); }), HasSubstr("has no operators"));
}

TEST(StageGraph, RecomputedOperatorsBelongToTheStage) {
  std::vector<Stage> stages{stage("x", {0}, 0), stage("y", {1}, 1)};
  stages[0].recompute = ids({1});
  EXPECT_THAT(error_of(test::chain_graph(2), stages),
              HasSubstr("stage 'x' recomputes 's1' of another stage"));
}

TEST(StageGraph, DevicesAreListedOnce) {
  const StageGraph stages(test::chain_graph(3),
                          {stage("a", {0}, 5), stage("b", {1}, 2), stage("c", {2}, 5)},
                          PlanKind::Graph);
  EXPECT_THAT(stages.devices(), ElementsAre(DeviceId{2}, DeviceId{5}));
}

TEST(Placement, DevicesOutsideTheClusterAreRefused) {
  const StageGraph stages(test::chain_graph(1), {stage("s", {0}, 4)}, PlanKind::Graph);
  EXPECT_NO_THROW(check_placement(stages, test::ideal_cluster(5)));
  EXPECT_THROW(check_placement(stages, test::ideal_cluster(4)), ConfigError);
}

}  // namespace
}  // namespace pipegraph
