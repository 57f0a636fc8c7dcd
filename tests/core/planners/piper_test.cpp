#include "core/planners/piper.h"

#include <gmock/gmock.h>

#include <random>

#include "core/planners/layer_input.h"
#include "core/schedule/schedule.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Workload on(ComputationGraph graph, Topology cluster, std::int32_t mini_batch = 8) {
  return test::tiny_workload(std::move(graph), std::move(cluster), {.mini_batch = mini_batch});
}

PlannerResult piper(const Workload& workload, std::int32_t micro_batch, PiperOptions own = {}) {
  return plan_piper(
      workload, {.name = "p", .kind = PlanKind::Sequential, .micro_batches = {micro_batch}}, own);
}

TEST(Piper, GivesEveryReplicaMicroBatchesOfItsOwn) {
  // One operator of 3 s on 2 devices: 1.5 s per sample; micro-batches of 2 x 2 samples.
  const Plan plan = std::get<Plan>(piper(on(test::chain_graph(1), test::ideal_cluster(2)), 2));
  EXPECT_EQ(plan.stages.front().replicas(), 2);
  EXPECT_EQ(plan.stages.front().micro_batch, 4);
  EXPECT_NEAR(plan.objective->value, 1.5, 1e-8);
  EXPECT_TRUE(plan.search->exact);
}

TEST(Piper, UsesReplicasThatDivideTheMicroBatches) {
  // 3 devices, 4 micro-batches of 2 samples: 2 replicas, not 3.
  const Plan plan = std::get<Plan>(piper(on(test::chain_graph(1), test::ideal_cluster(3)), 2));
  EXPECT_EQ(plan.stages.front().replicas(), 2);
  EXPECT_EQ(plan.unused_devices.size(), 1U);
}

TEST(Piper, RefusesMicroBatchesThatDoNotDivideTheMiniBatch) {
  const PlannerResult result = piper(on(test::chain_graph(2), test::ideal_cluster(2)), 3);
  EXPECT_THAT(std::get<Infeasible>(result).reason, HasSubstr("do not divide a mini-batch of 8"));
}

TEST(Piper, CountsDownsetsAndPairs) {
  // Two branches of 2 between a stem and a join: 9 pairs of depths, after the join, before the
  // stem, and the empty set: 11. The branches are identical, so of depths (a, b) and (b, a) one
  // counts: 6 sorted ones. Stages up to them from nothing: 6; from the sorted (0, 0) to larger
  // sorted ones 5, from (1, 1) 2; from (1, 0) to any larger ones 5, from (2, 0) 2, from (2, 1) 1.
  // Up to the whole graph: from the 6 and from nothing.
  const Workload workload = on(test::fork_join_graph(2, 2), test::ideal_cluster(2));
  const Plan plan = std::get<Plan>(piper(workload, 1));
  EXPECT_EQ(plan.search->states, 11U);
  EXPECT_EQ(plan.search->cuts, 6U + (5U + 2U) + (5U + 2U + 1U) + (6U + 1U));
  EXPECT_EQ(plan.search->family, "all ideals");
}

TEST(Piper, SearchesFewerDownsetsWhereThereAreTooMany) {
  const Workload workload = on(test::fork_join_graph(2, 2), test::ideal_cluster(2));
  const Plan plan = std::get<Plan>(piper(workload, 1, {.downsets = 10}));
  EXPECT_FALSE(plan.search->exact);
  EXPECT_THAT(plan.search->notes, Contains(HasSubstr("more than 10 downsets")));
}

TEST(Piper, RecomputesWhereMemoryIsShort) {
  // Each operator keeps 5000 B a sample, its input being 1000 B; the first of two stages has two
  // samples in flight. 2 + 2 operators need 20 000 and 10 000 B; of 19 000 B only 1 + 3 fit: 9 s.
  // Recomputing one of the first stage's costs a forward of 1 s: 2 x 3 + 1 = 7 s.
  Device device;
  device.memory = Bytes{19'000};
  const Workload workload = on(test::chain_graph(4, {.output = Bytes{1000}, .saved = Bytes{5000}}),
                               test::ideal_cluster(2, device));
  const Plan without = std::get<Plan>(piper(workload, 1));
  const Plan with = std::get<Plan>(piper(workload, 1, {.recompute = true}));
  EXPECT_NEAR(without.objective->value, 9.0, 1e-7);
  EXPECT_NEAR(with.objective->value, 7.0, 1e-7);
  EXPECT_EQ(with.stages[0].recompute.size(), 1U);
  EXPECT_TRUE(with.stages[1].recompute.empty());
}

TEST(Piper, SaysWhichLayerDoesNotFit) {
  Device device;
  device.memory = Bytes{1};
  const PlannerResult result = piper(
      on(test::chain_graph(3, {.parameters = Bytes{100}}), test::ideal_cluster(2, device)), 1);
  EXPECT_THAT(std::get<Infeasible>(result).reason, HasSubstr("stage with 's"));
}

TEST(Piper, SaysHowManyDevicesWouldDo) {
  // Parameters and gradients take 200 B a layer, samples nothing: two layers fit into 500 B, six
  // need three devices.
  Device device;
  device.memory = Bytes{500};
  const ComputationGraph six = test::chain_graph(6, {.output = Bytes{0}, .parameters = Bytes{100}});
  const PlannerResult two = piper(on(six, test::ideal_cluster(2, device)), 1);
  EXPECT_THAT(std::get<Infeasible>(two).reason,
              HasSubstr("the smallest feasible device count is 3"));
  EXPECT_TRUE(std::holds_alternative<Plan>(piper(on(six, test::ideal_cluster(3, device)), 1)));
}

TEST(Piper, KnowsWhatTheScheduleKeepsInFlight) {
  // Chains of stages with random numbers of replicas, each taking micro-batches of its own size.
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    const int length = std::uniform_int_distribution<int>(1, 6)(random);
    const ComputationGraph graph = test::chain_graph(length);
    std::vector<Stage> stages = test::stage_per_operator(graph);
    LayerProblem problem{.micro_batches = 40, .in_flight = LayerInFlight::Schedule};
    for (Stage& stage : stages)
      stage.micro_batch = std::uniform_int_distribution<int>(1, 6)(random);
    const StageGraph chain(graph, stages, PlanKind::Sequential);
    const std::vector<std::int64_t> by_schedule =
        in_flight_samples(chain, {.mini_batch = problem.micro_batches});
    int behind = 0, behind_replicas = 0;
    for (auto s = stages.size(); s-- > 0;) {
      behind = in_flight_before(problem, stages[s].micro_batch, behind, behind_replicas);
      behind_replicas = stages[s].micro_batch;
      EXPECT_EQ(behind, std::min<std::int64_t>(by_schedule[s], problem.micro_batches)) << round;
    }
  }
}

TEST(Piper, SaysThatOnlyBuffersDoNotFit) {
  // Parameters, gradients and two samples in flight take 2 x 400 + 2 x 100 B of an operator, all
  // that a device has; there is no room for the gradient of 1000 B that comes back.
  Device device;
  device.memory = Bytes{1000};
  const Workload workload = on(
      test::chain_graph(2, {.output = Bytes{1000}, .parameters = Bytes{400}, .saved = Bytes{100}}),
      test::ideal_cluster(2, device));
  const auto reason = [&](std::int32_t slots) {
    const PlannerOptions options{
        .kind = PlanKind::Sequential, .receive_slots = slots, .micro_batches = {1}};
    return std::get<Infeasible>(plan_piper(workload, options, {})).reason;
  };
  EXPECT_THAT(reason(0), HasSubstr("(it fits but for buffers of messages, up to "));
  EXPECT_THAT(reason(0), HasSubstr("a device: 'receive_slots: 1' needs fewer)"));
  EXPECT_THAT(reason(1), HasSubstr("a device)"));
}

TEST(Piper, EndsAtItsTimeLimit) {
  // One micro-batch, so no replicas: 2 of 7 operators on a device, which takes several probes.
  const Workload workload = on(test::chain_graph(7), test::ideal_cluster(4));
  int asked = 0;
  int in_time = 1'000'000;
  PlannerOptions options{.name = "p", .kind = PlanKind::Sequential, .micro_batches = {8}};
  options.elapsed = [&] { return Seconds{++asked > in_time ? 2.0 : 0.0}; };
  const auto plan = [&] {
    return std::get<Plan>(plan_piper(workload, options, {.time_limit = Seconds{1.0}}));
  };
  EXPECT_FALSE(plan().search->truncated);
  in_time = asked - 1;  // not the last question
  asked = 0;
  const Plan cut_short = plan();
  EXPECT_TRUE(cut_short.search->truncated);
  EXPECT_FALSE(cut_short.search->exact);
  in_time = 0;
  const PlannerResult none = plan_piper(workload, options, {.time_limit = Seconds{1.0}});
  EXPECT_EQ(std::get<Infeasible>(none).reason,
            "no plan with micro-batches of 8 samples: a limit of the search came before the first "
            "plan; a longer time_limit may find one");
}

TEST(LayerBlocks, JoinOperatorsOfOneNameWhereTheyAreConvex) {
  const auto op = [](const std::string& name, std::vector<OperatorId> inputs) {
    return test::tiny_operator(name, std::move(inputs));
  };
  // "a" leaves its layer and comes back through "mid": not convex, so alone.
  const ComputationGraph graph(
      "g", {op("a.x", {}), op("mid", {OperatorId{0}}), op("a.y", {OperatorId{1}}),
            op("b.x", {OperatorId{2}}), op("b.y", {OperatorId{3}})});
  EXPECT_THAT(layer_blocks(graph),
              ElementsAre(ElementsAre(OperatorId{0}), ElementsAre(OperatorId{1}),
                          ElementsAre(OperatorId{2}), ElementsAre(OperatorId{3}, OperatorId{4})));
}

}  // namespace
}  // namespace pipegraph
