// The uniform and the balanced planner.
#include <gmock/gmock.h>

#include "core/base/yaml_reader.h"
#include "core/planners/alpa_inter_op.h"
#include "core/planners/balanced.h"
#include "core/planners/bapipe.h"
#include "core/planners/bottleneck_bound.h"
#include "core/planners/candidates.h"
#include "core/planners/table.h"
#include "core/planners/uniform.h"
#include "core/planners/withholding.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::vector<int>> operators_of(const Plan& plan) {
  std::vector<std::vector<int>> result;
  for (const Stage& stage : plan.stages) {
    result.emplace_back();
    for (const OperatorId op : stage.operators) result.back().push_back(op.value);
  }
  return result;
}

Workload on_devices(ComputationGraph graph, int devices, std::int32_t mini_batch = 8) {
  return test::tiny_workload(std::move(graph), test::ideal_cluster(devices),
                             {.mini_batch = mini_batch});
}

/// A chain with these forward times in seconds, and twice as much backwards.
ComputationGraph chain_of(const std::vector<double>& times) {
  std::vector<Operator> operators;
  for (const double time : times) {
    operators.push_back(
        test::tiny_operator("o" + std::to_string(operators.size()), {},
                            {.forward = Seconds{time}, .backward = Seconds{2 * time}}));
    if (operators.size() > 1) operators.back().inputs = {make_id<OperatorId>(operators.size() - 2)};
  }
  return ComputationGraph("weighted", operators);
}

Plan planned(const Planner& planner, const Workload& workload, PlannerOptions options = {}) {
  return std::get<Plan>(planner(workload, options));
}

std::string refused(const Planner& planner, const Workload& workload,
                    const PlannerOptions& options = {}) {
  return std::get<Infeasible>(planner(workload, options)).reason;
}

TEST(Uniform, CutsTheChainIntoEqualNumbers) {
  // floor(i 7 / 3): 2, 4, 7.
  const Plan plan = planned(plan_uniform, on_devices(chain_of({9, 1, 1, 1, 1, 1, 1}), 3),
                            {.kind = PlanKind::Sequential});
  EXPECT_THAT(operators_of(plan),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5, 6)));
  EXPECT_EQ(plan.planner, "uniform");
}

TEST(Uniform, LeavesDevicesWithoutAnOperatorUnused) {
  const Workload workload = on_devices(test::chain_graph(3), 5);
  const Plan plan = planned(plan_uniform, workload);
  EXPECT_EQ(plan.stages.size(), 3U);
  EXPECT_THAT(plan.unused_devices, ElementsAre(DeviceId{3}, DeviceId{4}));
  EXPECT_THAT(refused(plan_uniform, workload, {.device_use = DeviceUse::Exactly}),
              HasSubstr("only 3 of 5 devices"));
}

/// The planner as the options in `text` configure it.
Planner configured(Planner (*configure)(MapReader&), const std::string& text) {
  MapReader map(YamlValue::parse(text, "test"), "a planner");
  return configure(map);
}

std::vector<std::int32_t> devices_of(const Plan& plan) {
  std::vector<std::int32_t> devices;
  for (const Stage& stage : plan.stages) devices.push_back(stage.devices.at(0).value);
  return devices;
}

TEST(Uniform, DealsSeveralStagesOutToEachDevice) {
  const Planner planner = configured(configure_uniform, "{stages_per_device: 2}");
  const PlannerOptions interleaved{.kind = PlanKind::Sequential, .schedule = "interleaved_1f1b"};
  const Plan plan = planned(planner, on_devices(test::chain_graph(8), 3), interleaved);
  EXPECT_THAT(devices_of(plan), ElementsAre(0, 1, 2, 0, 1, 2));
  // 8 operators in 1 1 2 1 1 2: the last device has four of 3 s a sample.
  EXPECT_DOUBLE_EQ(plan.objective->value, (2 + 2) * 3);
  // Five operators are two devices' worth, one is one's.
  EXPECT_THAT(devices_of(planned(planner, on_devices(test::chain_graph(5), 3), interleaved)),
              ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(devices_of(planned(planner, on_devices(test::chain_graph(1), 3))), ElementsAre(0));
}

TEST(Balanced, DealsSeveralStagesOutToEachDevice) {
  const Planner planner = configured(configure_balanced, "{stages_per_device: 2}");
  const Plan plan = planned(planner, on_devices(chain_of({4, 2, 2, 2, 2, 4}), 2),
                            {.kind = PlanKind::Sequential, .schedule = "interleaved_1f1b"});
  EXPECT_THAT(operators_of(plan),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5)));
  EXPECT_THAT(devices_of(plan), ElementsAre(0, 1, 0, 1));
  EXPECT_THROW(planner(on_devices(test::chain_graph(4), 2), {.kind = PlanKind::Graph}),
               ConfigError);
}

TEST(Balanced, CutsAChainByTime) {
  // 9 | 1 1 1 1 1 1 on two devices: largest 9; equal numbers would have 11.
  const Plan plan = planned(plan_balanced, on_devices(chain_of({9, 1, 1, 1, 1, 1, 1}), 2),
                            {.kind = PlanKind::Sequential});
  EXPECT_THAT(operators_of(plan), ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3, 4, 5, 6)));
  EXPECT_EQ(plan.objective->name, "max_time_per_sample_s");
  EXPECT_DOUBLE_EQ(plan.objective->value, 9 * 3);
}

TEST(Balanced, CutsEveryBranchOverItsShareOfTheDevices) {
  // A stem 0, branches 1-4, 5-8, 9-12, 13-16 on 8 devices: two stages of two operators each. All
  // last stages weigh the same: the join (17) joins the first branch's, and the stem its first.
  const Plan plan = planned(plan_balanced, on_devices(test::fork_join_graph(4, 4), 8));
  EXPECT_THAT(operators_of(plan),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 17), ElementsAre(5, 6),
                          ElementsAre(7, 8), ElementsAre(9, 10), ElementsAre(11, 12),
                          ElementsAre(13, 14), ElementsAre(15, 16)));
}

TEST(Balanced, KeepsStemAndJoinApartWhereBranchesAreSingleStages) {
  // Two branches on two devices: the join goes to the first, so the stem goes to the second.
  const Plan plan = planned(plan_balanced, on_devices(test::fork_join_graph(2, 2), 2));
  EXPECT_THAT(operators_of(plan), ElementsAre(ElementsAre(1, 2, 5), ElementsAre(0, 3, 4)));
}

TEST(Balanced, GroupsBranchesWhereDevicesAreFewer) {
  // Three branches of two on two devices: {b0, b2} and {b1}; stem and join to the lighter where
  // they can: the join (7) to b1, which is one stage, so the stem (0) to the other.
  const Plan plan = planned(plan_balanced, on_devices(test::fork_join_graph(3, 2), 2));
  EXPECT_THAT(operators_of(plan), ElementsAre(ElementsAre(0, 1, 2, 5, 6), ElementsAre(3, 4, 7)));
}

TEST(Balanced, PutsEverythingOnASingleDevice) {
  const Plan plan = planned(plan_balanced, on_devices(test::fork_join_graph(2, 1), 1));
  EXPECT_THAT(operators_of(plan), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(Balanced, CutsAGraphWithoutBranchesAsAChainAndSaysSo) {
  const Plan chain = planned(plan_balanced, on_devices(test::chain_graph(4), 2));
  EXPECT_THAT(operators_of(chain), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(chain.search->notes,
              ElementsAre("the graph has no parallel branches; cut as a chain"));
  const Plan crossing = planned(plan_balanced, on_devices(test::crossing_skips_graph(), 2));
  EXPECT_THAT(crossing.search->notes, ElementsAre(HasSubstr("not series-parallel")));
}

TEST(Balanced, AGraphBeatsTheChainOfTheSameBranches) {
  const Workload workload = on_devices(test::fork_join_graph(4, 4), 8, 16);
  const auto time = [&](PlanKind kind) {
    return evaluate(workload, planned(plan_balanced, workload, {.kind = kind})).iteration_time;
  };
  EXPECT_LT(time(PlanKind::Graph), time(PlanKind::Sequential));
}

TEST(Balanced, StagesOfRandomForkJoinsAreConvexForAnyNumberOfDevices) {
  for (int branches = 2; branches <= 5; ++branches)
    for (int length = 1; length <= 3; ++length)
      for (int devices = 1; devices <= 18; ++devices) {
        const Workload workload = on_devices(test::fork_join_graph(branches, length), devices, 2);
        const Plan plan = planned(plan_balanced, workload);  // StageGraph would throw
        EXPECT_LE(plan.stages.size(), static_cast<std::size_t>(devices));
        EXPECT_TRUE(evaluate(workload, plan).ok());
      }
}

TEST(Candidates, ArePowersOfTwoAndTheMiniBatch) {
  EXPECT_THAT(micro_batch_candidates({}, 12), ElementsAre(1, 2, 4, 8, 12));
  EXPECT_THAT(micro_batch_candidates({}, 8), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(micro_batch_candidates({}, 1), ElementsAre(1));
  // 16 384 micro-batches at most: of 100 000 samples those of 8 make 12 500, those of 4 25 000.
  EXPECT_EQ(micro_batch_candidates({}, 16'384).front(), 1);
  EXPECT_EQ(micro_batch_candidates({}, 16'385).front(), 2);
  EXPECT_EQ(micro_batch_candidates({}, 100'000).front(), 8);
  EXPECT_EQ(micro_batch_candidates({}, 1 << 30).back(), 1 << 30);
}

TEST(Candidates, GivenOnesReplaceThemClippedAndInOrder) {
  EXPECT_THAT(micro_batch_candidates({.micro_batches = {6, 3, 99, 6}}, 12), ElementsAre(3, 6, 12));
}

/// A launch of 1 s per operator and pass makes small micro-batches dear, few micro-batches a
/// bubble.
Workload with_launch(std::int32_t mini_batch) {
  std::vector<Operator> operators;
  for (int i = 0; i < 4; ++i) {
    Operator op = test::tiny_operator("o" + std::to_string(i), {});
    op.forward = {.time = std::nullopt, .flops = Flops{1e12}};
    op.backward = {.time = std::nullopt, .flops = Flops{2e12}};
    if (i > 0) op.inputs = {OperatorId{i - 1}};
    operators.push_back(op);
  }
  Device device = test::round_device();  // 1 TFLOP/s
  device.launch = Seconds{1};
  return test::tiny_workload(ComputationGraph("launches", operators),
                             test::ideal_cluster(4, device),
                             {.mini_batch = mini_batch, .optimizer = Optimizer::None});
}

TEST(Candidates, TheLeastIterationTimeWins) {
  // A micro-batch of b takes (1 + b) + (1 + 2 b) a stage: (16 / b + 3) (2 + 3 b) for 16 samples is
  // 95, 88, 98, 130, 200 for b = 1, 2, 4, 8, 16.
  const Workload workload = with_launch(16);
  const Plan plan = planned(plan_balanced, workload);
  EXPECT_EQ(plan.stages.front().micro_batch, 2);
  EXPECT_EQ(evaluate(workload, plan).iteration_time, Seconds{88});
}

TEST(Candidates, TheLeastObjectiveWinsWhereChosen) {
  // Time per sample (2 + 3 b) / b falls with b.
  const Plan plan = planned(plan_balanced, with_launch(16), {.choose = Choose::Objective});
  EXPECT_EQ(plan.stages.front().micro_batch, 16);
  EXPECT_DOUBLE_EQ(plan.objective->value, (2 + 3 * 16) / 16.0);
}

TEST(Candidates, OnlyGivenSizesAreTried) {
  EXPECT_EQ(
      planned(plan_balanced, with_launch(16), {.micro_batches = {8}}).stages.front().micro_batch,
      8);
}

TEST(Candidates, AReturnedPlanFits) {
  // 1F1B keeps 4, 3, 2, 1 micro-batches of b x 1 KiB outputs (and inputs) in flight: memory for
  // small ones only, though larger ones are no slower.
  Device device;
  device.memory = Bytes{24 * 1024};
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), test::ideal_cluster(4, device), {.mini_batch = 64});
  const Plan plan = planned(plan_balanced, workload);
  EXPECT_TRUE(evaluate(workload, plan).ok());
  EXPECT_EQ(evaluate(workload, plan).prepared.memory.problem, "");
  // The second stage has inputs to keep, too, which the first has not.
  EXPECT_THAT(refused(plan_balanced, workload, {.micro_batches = {32, 64}}),
              HasSubstr("no plan with micro-batches of 32 samples: stage 's1' on device"));
}

TEST(Withholding, GrowsByWhatIsLackingAndThenLiesBetween) {
  Withholding withholding;
  EXPECT_EQ(withholding.next(), Bytes{0});
  withholding.lacked(Bytes{10});
  EXPECT_EQ(withholding.next(), Bytes{10});
  withholding.lacked(Bytes{30});
  EXPECT_EQ(withholding.next(), Bytes{40});
  withholding.found_nothing();  // a plan at 10, none at 40
  EXPECT_EQ(withholding.next(), Bytes{25});
  withholding.lacked(Bytes{7});
  EXPECT_EQ(withholding.next(), Bytes{32});
  withholding.found_nothing();
  EXPECT_EQ(withholding.next(), Bytes{28});
}

TEST(Planners, FitNothingSaysWhatIsNeeded) {
  Device device;
  device.memory = Bytes{1000};
  const Workload workload = test::tiny_workload(test::chain_graph(2, {.parameters = Bytes{4096}}),
                                                test::ideal_cluster(2, device), {.mini_batch = 4});
  for (const Planner& planner : {Planner(plan_uniform), Planner(plan_balanced)}) {
    const std::string reason = refused(planner, workload);
    EXPECT_THAT(reason, HasSubstr("needs"));
    EXPECT_THAT(reason, HasSubstr("1000 B"));
  }
}

TEST(Planners, PlanForManyDevicesOrSayWhyNot) {
  // As many samples as devices, so that a stage may have all of them.
  constexpr int k_devices = 1 << 14;
  const Workload workload = on_devices(test::chain_graph(6), k_devices, k_devices);
  for (const PlannerEntry& entry : planner_table()) {
    if (entry.name == "pipegraph") continue;  // asks the others
    MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
    const PlannerResult result =
        entry.configure(nothing)(workload, {.kind = entry.kind, .micro_batches = {k_devices}});
    if (const auto* no = std::get_if<Infeasible>(&result)) {
      EXPECT_TRUE(entry.name == "exhaustive" || entry.name == "alpa_inter_op") << entry.name;
      EXPECT_THAT(no->reason, HasSubstr("devices")) << entry.name;
      continue;
    }
    // Work of 6 x 3 s a sample on all devices, or on one device a stage.
    const double least = 18.0 / k_devices;
    EXPECT_GE(std::get<Plan>(result).objective->value, least * (1 - 1e-9)) << entry.name;
  }
}

TEST(AlpaInterOp, LeavesOutSizesThatItsSweepIsTooLongFor) {
  // 21 cuts, all 16 384 devices for a stage and below it are 5e9 steps; with micro-batches of 64
  // samples six stages of 64 devices, 5e5.
  constexpr int k_devices = 1 << 14;
  const Workload workload = on_devices(test::chain_graph(6), k_devices, k_devices);
  const Plan plan =
      planned([](const Workload& on,
                 const PlannerOptions& options) { return plan_alpa_inter_op(on, options, {}); },
              workload, {.kind = PlanKind::Sequential, .micro_batches = {64, k_devices}});
  EXPECT_EQ(plan.stages.front().micro_batch, 64);
  EXPECT_THAT(plan.search->notes,
              testing::Contains(HasSubstr("no micro-batches of 16384 samples or more")));
}

TEST(Planners, RefuseTooManyPassesWithoutAWordOfDevices) {
  // 2^30 micro-batches of one sample; those of 2^16 samples are 2^14.
  const Workload workload =
      test::tiny_workload(test::chain_graph(4), test::ideal_cluster(4), {.mini_batch = 1 << 30});
  for (const PlannerEntry& entry : planner_table()) {
    MapReader nothing(YamlValue::parse("{}", "test"), "a plan");
    const Planner planner = entry.configure(nothing);
    const std::string reason =
        std::get<Infeasible>(planner(workload, {.kind = entry.kind, .micro_batches = {1}})).reason;
    EXPECT_THAT(reason, HasSubstr("2147483648 forwards and backwards are more than 8388608"));
    EXPECT_THAT(reason, testing::Not(HasSubstr("device"))) << entry.name;
  }
  const Plan plan = planned(plan_uniform, workload, {.micro_batches = {1 << 16}});
  EXPECT_TRUE(evaluate(workload, plan).ok());
}

TEST(Planners, NameHowFarTheyMayBeFromTheOptimum) {
  // Work per sample 3 x (5 + 1 + 1 + 1) = 24 s; on two devices at least 12 s, and the largest
  // operator takes 15 s. `uniform` cuts 5 1 | 1 1: 18 s; `balanced` and `bapipe` 5 | 1 1 1: 15 s.
  const Workload workload = on_devices(chain_of({5, 1, 1, 1}), 2);
  for (const Planner& planner :
       {Planner(plan_uniform), Planner(plan_balanced), Planner(plan_bapipe)}) {
    const Plan plan =
        planned(planner, workload, {.kind = PlanKind::Sequential, .micro_batches = {1}});
    const double value = plan.planner == "uniform" ? 18.0 : 15.0;
    EXPECT_DOUBLE_EQ(plan.objective->value, value) << plan.planner;
    EXPECT_DOUBLE_EQ(*plan.search->lower_bound_s, 15.0) << plan.planner;
    EXPECT_NEAR(*plan.search->gap, value / 15.0 - 1.0, 1e-12) << plan.planner;
    EXPECT_EQ(plan.search->exact, value == 15.0) << plan.planner;
  }
}

TEST(BottleneckBound, TakesTheFastestKindOfDevice) {
  // Four times and twice as slow: the largest operator of 15 s takes 30 s at least.
  Topology cluster = test::ideal_cluster(2);
  std::vector<Device> devices = cluster.devices();
  devices[0].slowdown = 4.0;
  devices[1].slowdown = 2.0;
  const Workload workload =
      test::tiny_workload(chain_of({5, 1, 1, 1}), cluster.with_devices(devices), {.mini_batch = 8});
  EXPECT_DOUBLE_EQ(BottleneckBound(workload).at(1), 30.0);
}

TEST(Planners, ListEveryDeviceOnceUsedOrUnused) {
  const Plan plan = planned(plan_balanced, on_devices(test::fork_join_graph(2, 1), 6));
  std::vector<DeviceId> all = plan.unused_devices;
  for (const Stage& stage : plan.stages) all.push_back(stage.devices.front());
  EXPECT_THAT(all, UnorderedElementsAre(DeviceId{0}, DeviceId{1}, DeviceId{2}, DeviceId{3},
                                        DeviceId{4}, DeviceId{5}));
}

}  // namespace
}  // namespace pipegraph
