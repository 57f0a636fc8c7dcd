#include "core/stage/stage_costs.h"

#include <gmock/gmock.h>

#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;

/// A chain of two operators in one stage: 1 s and 2 s per sample and operator.
class StageCosts : public testing::Test {
 protected:
  StageCosts() {
    stage_.operators = {OperatorId{0}, OperatorId{1}};
    stage_.devices = {DeviceId{0}};
  }
  Seconds time(Pass pass, std::int64_t samples) const {
    return pass_time(workload_, stage_, pass, samples, DeviceId{0});
  }
  Workload workload_ = test::tiny_workload(test::chain_graph(2), test::ideal_cluster(1));
  Stage stage_;
};

TEST_F(StageCosts, AddUpOperatorsAndGrowWithSamples) {
  EXPECT_EQ(time(Pass::Forward, 3), Seconds{2 * 1 * 3});
  EXPECT_EQ(time(Pass::Backward, 3), Seconds{2 * 2 * 3});
}

TEST_F(StageCosts, RecomputedForwardsComeWithTheBackward) {
  stage_.recompute = {OperatorId{1}};
  EXPECT_EQ(time(Pass::Forward, 3), Seconds{6});
  EXPECT_EQ(time(Pass::Backward, 3), Seconds{12 + 3});
}

TEST(StageCostsOfSplitBackward, RecomputesInTheInputsPartOnly) {
  Operator split = test::tiny_operator("a", {});
  split.backward_input = PassWork{.time = Seconds{1.5}};
  split.backward_weight = PassWork{.time = Seconds{0.5}};
  const Workload workload =
      test::tiny_workload(ComputationGraph("one", {split}), test::ideal_cluster(1));
  Stage stage;
  stage.operators = stage.recompute = {OperatorId{0}};
  EXPECT_EQ(pass_time(workload, stage, Pass::BackwardInput, 2, DeviceId{0}), Seconds{3 + 2});
  EXPECT_EQ(pass_time(workload, stage, Pass::BackwardWeight, 2, DeviceId{0}), Seconds{1});
}

TEST(OptimizerTime, ReadsAndWritesParametersGradientsAndState) {
  const Device device{.memory_bandwidth = BytesPerSecond{1e9}};
  const auto time = [&](Optimizer optimizer) {
    return optimizer_time({.optimizer = optimizer}, Bytes{1'000'000'000}, device).count();
  };
  // 1 GB of parameters: (parameters + gradients + copies) x (read + write) at 1 GB/s.
  EXPECT_DOUBLE_EQ(time(Optimizer::None), 0);
  EXPECT_DOUBLE_EQ(time(Optimizer::Sgd), 2 * 2);
  EXPECT_DOUBLE_EQ(time(Optimizer::Momentum), 3 * 2);
  EXPECT_DOUBLE_EQ(time(Optimizer::Adam), 4 * 2);
  EXPECT_EQ(optimizer_time({}, Bytes{1000}, Device{}), Seconds{0});
}

TEST(Optimizers, RoundTripThroughTheirNames) {
  for (const Optimizer optimizer :
       {Optimizer::None, Optimizer::Sgd, Optimizer::Momentum, Optimizer::Adam})
    EXPECT_EQ(parse_optimizer(to_text(optimizer)), optimizer);
  EXPECT_FALSE(parse_optimizer("sgdm").has_value());
}

/// x -> y -> z, z tied to x, all with 100 bytes of parameters.
ComputationGraph tied_graph() {
  std::vector<Operator> operators;
  for (int i = 0; i < 3; ++i) {
    Operator op = test::tiny_operator(std::string(1, static_cast<char>('x' + i)), {},
                                      {.parameters = Bytes{100}});
    if (i > 0) op.inputs = {OperatorId{i - 1}};
    operators.push_back(op);
  }
  operators[2].tied_to = OperatorId{0};
  return ComputationGraph("tied", operators);
}

TEST(Parameters, TiedOnesCountOnceInAStage) {
  Stage stage;
  stage.operators = {OperatorId{0}, OperatorId{1}, OperatorId{2}};
  EXPECT_EQ(parameters_of(tied_graph(), stage), Bytes{200});
  EXPECT_THAT(parameter_owners(tied_graph(), stage), ElementsAre(OperatorId{0}, OperatorId{1}));
}

TEST(Parameters, SharedBetweenStagesAreListedWithTheirStages) {
  const ComputationGraph graph = tied_graph();
  const StageGraph stages(graph, test::stage_per_operator(graph), PlanKind::Graph);
  EXPECT_THAT(shared_parameters(graph, stages),
              ElementsAre(SharedParameters{OperatorId{0}, Bytes{100}, {StageId{0}, StageId{2}}}));
  EXPECT_EQ(parameters_of(graph, stages.at(StageId{2})), Bytes{100});
}

}  // namespace
}  // namespace pipegraph
