// What engines that compute for real refuse, by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/steps/executable.h"
#include "tests/exec/numerics/small_networks.h"
#include "tests/exec/numerics/trained_plans.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph::test {
namespace {

using testing::HasSubstr;

template <class Check>
std::string refusal(const Check& check) {
  try {
    check();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string refusal(const Workload& workload, const StageGraph& stages) {
  return refusal([&] { check_trainable(workload, stages); });
}

TEST(Refusals, NothingOfAPlainPlan) {
  const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1"}));
  EXPECT_EQ(refusal(plan->workload, plan->stages), "");
}

TEST(Refusals, PrecisionsOtherThanFp32) {
  const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1"}));
  Workload workload = plan->workload;
  workload.training.precision = Precision::Fp32Tensor;
  EXPECT_EQ(refusal(workload, plan->stages), "");
  for (const Precision precision : {Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
    workload.training.precision = precision;
    EXPECT_THAT(refusal(workload, plan->stages),
                HasSubstr(fmt::format("precision {}", to_text(precision))));
  }
}

TEST(Refusals, TensorParallelStages) {
  const auto plan = plan_from(dense_chain(), cut_before(dense_chain(), {"fc1"}));
  std::vector<Stage> stages = plan->stages.stages();
  stages[1].devices = {DeviceId{1}, DeviceId{2}};
  stages[1].tensor_parallel = 2;
  // Refused as a stage already while no model has costs for it.
  EXPECT_THAT(refusal([&] {
                const ComputationGraph& graph = *plan->workload.graph;
                check_trainable(plan->workload, StageGraph(graph, stages, PlanKind::Graph));
              }),
              HasSubstr("stage 'fc1' has tensor_parallel 2"));
}

TEST(Refusals, ModelsOfCostsAlone) {
  const Workload workload = tiny_workload(chain_graph(2), ideal_cluster(2));
  const StageGraph stages(*workload.graph, stage_per_operator(*workload.graph), PlanKind::Graph);
  EXPECT_THAT(refusal(workload, stages), HasSubstr("'s0' has costs but no arithmetic"));
}

TEST(Refusals, ModelsWithoutALoss) {
  std::vector<Operator> operators = dense_chain().operators();
  operators.pop_back();
  const Workload workload = tiny_workload(ComputationGraph("endless", operators), ideal_cluster(5));
  const StageGraph stages(*workload.graph, stage_per_operator(*workload.graph), PlanKind::Graph);
  EXPECT_THAT(refusal(workload, stages), HasSubstr("model 'endless' has no loss"));
}

}  // namespace
}  // namespace pipegraph::test
