#include "core/planners/evaluate.h"

#include <gmock/gmock.h>

#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

Plan plan_of(const Workload& workload, std::int32_t micro_batch = 1) {
  Plan plan;
  plan.stages = test::stage_per_operator(*workload.graph, micro_batch);
  return plan;
}

TEST(Evaluate, TakesAPlanAllTheWayToItsIterationTime) {
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), test::ideal_cluster(4), {.mini_batch = 8});
  const Evaluation evaluation = evaluate(workload, plan_of(workload));
  EXPECT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation.iteration_time, Seconds{(8 + 4 - 1) * 3});
  EXPECT_EQ(evaluation.prepared.validation.verdict, Verdict::Strict);
  EXPECT_EQ(evaluation.timeline->size(), evaluation.prepared.program->size());
}

TEST(Evaluate, CommunicationOnTheComputeLaneTakesLonger) {
  const Workload workload = test::tiny_workload(
      test::chain_graph(4), test::delayed_cluster(4, Seconds{1}), {.mini_batch = 8});
  EXPECT_EQ(evaluate(workload, plan_of(workload)).iteration_time, Seconds{49});
  EXPECT_GT(evaluate(workload, plan_of(workload), {.overlap = false}).iteration_time, Seconds{49});
}

TEST(Evaluate, ADeadlockIsAStatusWithItsCycle) {
  const Workload workload =
      test::tiny_workload(test::diamond_graph(), test::ideal_cluster(4), {.mini_batch = 2});
  Plan plan = plan_of(workload);
  plan.kind = PlanKind::Sequential;
  std::swap(plan.stages[2], plan.stages[3]);  // the join before the right branch
  const Evaluation evaluation = evaluate(workload, plan);
  EXPECT_EQ(evaluation.prepared.status, PlanStatus::Deadlock);
  EXPECT_THAT(evaluation.prepared.reason, HasSubstr("F3[0,1) on d2 waits for F2[0,1) on d3"));
  EXPECT_FALSE(evaluation.timeline.has_value());
}

TEST(Evaluate, APlanThatDoesNotFitIsAStatusWithStageAndBytes) {
  Device small;
  small.memory = Bytes{1000};
  const Workload workload = test::tiny_workload(test::chain_graph(1, {.parameters = Bytes{600}}),
                                                test::ideal_cluster(1, small), {.mini_batch = 1});
  const Evaluation evaluation = evaluate(workload, plan_of(workload));
  EXPECT_EQ(evaluation.prepared.status, PlanStatus::OutOfMemory);
  EXPECT_THAT(evaluation.prepared.reason, HasSubstr("'s0'"));
  EXPECT_THAT(evaluation.prepared.reason, HasSubstr("1000 B"));
}

TEST(Evaluate, APlanOfTooManyPassesIsInfeasible) {
  // 4 stages, 2^31 - 1 micro-batches, forward and backward: 8 x 2147483647 = 17179869176.
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), test::ideal_cluster(4), {.mini_batch = 2147483647});
  const Evaluation evaluation = evaluate(workload, plan_of(workload));
  EXPECT_EQ(evaluation.prepared.status, PlanStatus::Infeasible);
  EXPECT_THAT(evaluation.prepared.reason,
              HasSubstr("17179869176 forwards and backwards are more than 8388608"));
  EXPECT_FALSE(evaluation.timeline.has_value());
  EXPECT_TRUE(evaluate(workload, plan_of(workload, 1 << 24)).ok());
}

TEST(Evaluate, RefusesUnknownSchedulesAndDevices) {
  const Workload workload =
      test::tiny_workload(test::chain_graph(2), test::ideal_cluster(2), {.mini_batch = 2});
  Plan plan = plan_of(workload);
  plan.schedule = "1f1g";
  EXPECT_THROW(evaluate(workload, plan), ConfigError);
  plan.schedule = "1f1b";
  plan.stages[1].devices = {DeviceId{2}};
  EXPECT_THROW(evaluate(workload, plan), ConfigError);
}

}  // namespace
}  // namespace pipegraph
