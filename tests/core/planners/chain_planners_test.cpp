// The planners of chains: pipedream, alpa_inter_op and bapipe.
#include <gmock/gmock.h>

#include <limits>
#include <numeric>
#include <random>

#include "core/planners/alpa_inter_op.h"
#include "core/planners/bapipe.h"
#include "core/planners/graphpipe.h"
#include "core/planners/options.h"
#include "core/planners/pipedream.h"
#include "core/planners/table.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"
#include "tests/support/wired_clusters.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::size_t> sizes_of(const Plan& plan) {
  std::vector<std::size_t> sizes;
  for (const Stage& stage : plan.stages) sizes.push_back(stage.operators.size());
  return sizes;
}

/// Every operator 1 s forward and 2 s backward per sample.
Workload on(ComputationGraph graph, Topology cluster, std::int32_t mini_batch = 8) {
  return test::tiny_workload(std::move(graph), std::move(cluster), {.mini_batch = mini_batch});
}

Plan pipedream(const Workload& workload, std::int32_t micro_batch, PipedreamOptions own = {}) {
  return std::get<Plan>(plan_pipedream(
      workload, {.name = "p", .kind = PlanKind::Sequential, .micro_batches = {micro_batch}}, own));
}

TEST(Pipedream, CutsAChainWhereTheStagesAreEqual) {
  const Plan plan = pipedream(on(test::chain_graph(6), test::ideal_cluster(3)), 1);
  EXPECT_THAT(sizes_of(plan), ElementsAre(2, 2, 2));
  EXPECT_EQ(plan.objective->name, "max_time_per_sample_s");
  EXPECT_NEAR(plan.objective->value, 2 * 3.0, 1e-8);
  EXPECT_TRUE(plan.search->exact);
}

TEST(Pipedream, ReplicatesWhereThatIsFaster) {
  // One operator of 3 s on two devices: 1.5 s per sample.
  const Plan plan = pipedream(on(test::chain_graph(1), test::ideal_cluster(2)), 2);
  EXPECT_EQ(plan.stages.front().replicas(), 2);
  EXPECT_NEAR(plan.objective->value, 1.5, 1e-8);
}

TEST(Pipedream, TakesTheClustersLevelsWhereNodesHoldEquallyMany) {
  const std::vector<ChainLevel> levels = levels_of(
      test::shared_port_cluster({.nodes = 3, .per_node = 2, .inside = {10e9}, .between = {2e9}}));
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].workers, 2);
  EXPECT_EQ(levels[0].bandwidth, 10e9);
  EXPECT_EQ(levels[1].workers, 3);
  EXPECT_EQ(levels[1].bandwidth, 2e9);
  EXPECT_EQ(levels_of(test::ideal_cluster(4)).size(), 1U);
}

TEST(Pipedream, KeepsAReplicatedMachinesStagesInside) {
  // Two equal halves of 8 operators on 2 nodes of 2: both nodes run the same two stages.
  const Topology cluster = test::shared_port_cluster({.nodes = 2, .per_node = 2});
  const Plan plan = pipedream(on(test::chain_graph(8, {.parameters = Bytes{0}}), cluster), 2,
                              {.levels = {{2, 10e9}, {2, 2e9}}});
  for (const Stage& stage : plan.stages) {
    EXPECT_EQ(stage.micro_batch, 2);
    EXPECT_LE(stage.replicas(), 2);
  }
  EXPECT_NEAR(plan.objective->value, 8 * 3.0 / 4, 1e-6);
}

TEST(Pipedream, HasAMemoryLimitThatIsALimit) {
  Device device;
  device.memory = Bytes{1};
  const PlannerResult result = plan_pipedream(
      on(test::chain_graph(4, {.parameters = Bytes{100}}), test::ideal_cluster(2, device)),
      {.name = "p", .kind = PlanKind::Sequential}, {});
  EXPECT_THAT(std::get<Infeasible>(result).reason, HasSubstr("stage with 's0' needs 200 B"));
}

TEST(Pipedream, SaysThatAGraphWasPlannedAsAChain) {
  const Workload workload = on(test::fork_join_graph(2, 2), test::ideal_cluster(2));
  EXPECT_THAT(pipedream(workload, 1).search->notes, ElementsAre(HasSubstr("as a chain")));
  const Plan antichain = pipedream(workload, 1, {.linearise = Linearisation::Antichain});
  EXPECT_TRUE(antichain.search->notes.empty());
  EXPECT_EQ(antichain.search->family, "all ideals");
}

TEST(Pipedream, OverAllDownsetsIsNeverWorseThanOverOneOrder) {
  for (const int devices : {2, 3, 5}) {
    const Workload workload = on(test::fork_join_graph(3, 3), test::ideal_cluster(devices));
    const double order = pipedream(workload, 1).objective->value;
    const double all =
        pipedream(workload, 1, {.linearise = Linearisation::Antichain}).objective->value;
    EXPECT_LE(all, order * (1 + 2e-9));
  }
}

/// A chain with random times, outputs and parameters.
ComputationGraph random_chain(std::mt19937_64& random) {
  std::uniform_int_distribution<int> pick(1, 9);
  std::vector<Operator> operators;
  const int length = 2 + pick(random);
  for (int i = 0; i < length; ++i) {
    std::vector<OperatorId> inputs;
    if (i > 0) inputs.push_back(OperatorId{i - 1});
    operators.push_back(test::tiny_operator(
        "o" + std::to_string(i), inputs,
        {.forward = Seconds{0.1 * pick(random)},
         .backward = Seconds{0.1 * pick(random)},
         .output = Bytes{static_cast<std::uint64_t>(pick(random)) * 1000},
         .parameters = Bytes{static_cast<std::uint64_t>(pick(random)) * 1000}}));
  }
  return {"chain", std::move(operators)};
}

TEST(Pipedream, WithTheCommonCostEqualsGraphpipeOnChains) {
  std::mt19937_64 random(17);
  std::uniform_int_distribution<int> pick(1, 6);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    Device device;
    device.memory = Bytes{static_cast<std::uint64_t>(60'000 * pick(random))};
    const Workload workload =
        on(random_chain(random),
           test::ported_cluster(pick(random), Seconds{0.01 * pick(random)}, {20'000.0}, device));
    const PlannerOptions options{.name = "p",
                                 .kind = PlanKind::Sequential,
                                 .micro_batches = {pick(random)},
                                 .choose = Choose::Objective};
    const PlannerResult graph = plan_graphpipe(workload, options, {});
    const PlannerResult chain = plan_pipedream(workload, options, {.cost = ChainCost::Common});
    const auto* plan = std::get_if<Plan>(&graph);
    ASSERT_EQ(plan != nullptr, std::holds_alternative<Plan>(chain)) << round;
    if (plan == nullptr) continue;
    ++compared;
    EXPECT_NEAR(plan->objective->value, std::get<Plan>(chain).objective->value,
                4e-9 * plan->objective->value)
        << round;
  }
  EXPECT_GT(compared, 50);
}

std::string configuration_error(const std::string& planner, const std::string& text) {
  try {
    MapReader map(YamlValue::parse(text, "f"), "a plan");
    find_planner(planner)->configure(map);
    map.finish();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Pipedream, ReadsItsOptions) {
  EXPECT_EQ(configuration_error("pipedream",
                                "{linearise: antichain, sync: max, blocks: 50, ideals: 100, "
                                "levels: [{workers: 4, bandwidth: 10 GB/s}]}"),
            "");
  EXPECT_THAT(configuration_error("pipedream", "{cost: common, sync: sum}"),
              HasSubstr("f:1:8: cost: 'cost: common' knows neither"));
  EXPECT_THAT(configuration_error("pipedream", "{levels: []}"), HasSubstr("0 levels"));
  EXPECT_THAT(configuration_error("pipedream", "{levels: [{workers: 4}]}"),
              HasSubstr("missing key 'bandwidth'"));
  EXPECT_THROW(pipedream(on(test::chain_graph(2), test::ideal_cluster(2)), 1,
                         {.levels = {{2, 1e9}, {2, 1e9}}}),
               ConfigError);
}

Plan alpa(const Workload& workload, std::int32_t micro_batch) {
  return std::get<Plan>(plan_alpa_inter_op(
      workload, {.name = "a", .kind = PlanKind::Sequential, .micro_batches = {micro_batch}}, {}));
}

TEST(AlpaInterOp, CountsFillAndDrain) {
  // Messages take 1 s each. One micro-batch: a cut only adds to the sum, so one stage of 4 x 3 s.
  const auto chain = [] { return test::chain_graph(4); };
  const Topology cluster = test::delayed_cluster(4, Seconds{1});
  const Plan single = alpa(on(chain(), cluster, 1), 1);
  EXPECT_EQ(single.stages.size(), 1U);
  EXPECT_EQ(single.objective->name, "pipeline_latency_s");
  EXPECT_NEAR(single.objective->value, 12.0, 12.0 * 0.002);
  // Of 64: one stage takes 64 x 12 = 768. Four: the ends 3 + 2 each, the middle ones 3 + 4:
  // 24 + 63 x 7 = 465.
  const Plan many = alpa(on(chain(), cluster, 64), 1);
  EXPECT_EQ(many.stages.size(), 4U);
  EXPECT_NEAR(many.objective->value, 465.0, 465.0 * 0.002);
}

TEST(UnequalPartition, EqualsEnumeration) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<int> pick(1, 9);
  for (int round = 0; round < 300; ++round) {
    const std::size_t length = 1 + static_cast<std::size_t>(pick(random)) % 7;
    const std::size_t devices = 1 + static_cast<std::size_t>(pick(random)) % 3;
    std::vector<double> work;
    std::vector<double> slowdown;
    std::vector<double> cut(length + 1, 0.0);
    for (std::size_t i = 0; i < length; ++i) work.push_back(pick(random));
    for (std::size_t i = 0; i < devices; ++i) slowdown.push_back(pick(random));
    for (std::size_t i = 1; i < length; ++i) cut[i] = 4 * pick(random);
    const BlockCost cost = [&](std::size_t device, std::size_t begin, std::size_t end) {
      double sum = 0.0;
      for (std::size_t i = begin; i < end; ++i) sum += work[i] * slowdown[device];
      return std::max({sum, cut[begin], cut[end]});
    };
    // Bit i of the mask: a cut before position i + 1.
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t mask = 0; mask < 1U << (length - 1); ++mask) {
      double largest = 0.0;
      std::size_t device = 0;
      std::size_t begin = 0;
      for (std::size_t end = 1; end <= length && device < devices; ++end)
        if (end == length || (mask >> (end - 1) & 1U) != 0) {
          largest = std::max(largest, cost(device++, begin, end));
          begin = end;
        }
      if (begin == length) best = std::min(best, largest);
    }

    const UnequalPartition partition = unequal_partition(length, devices, cost);

    EXPECT_DOUBLE_EQ(partition.largest, best) << round;
    EXPECT_EQ(partition.ends.back(), length);
    EXPECT_LE(partition.ends.size(), devices);
    const BlockCost without_cuts = [&](std::size_t device, std::size_t begin, std::size_t end) {
      return slowdown[device] * std::accumulate(work.begin() + static_cast<std::ptrdiff_t>(begin),
                                                work.begin() + static_cast<std::ptrdiff_t>(end), 0);
    };
    EXPECT_EQ(unequal_partition(length, devices, cost, without_cuts).ends, partition.ends);
  }
}

TEST(Pipedream, RefusesLevelsThatLeaveDevicesOutWhereAllAreToBeUsed) {
  PipedreamOptions own;
  own.levels = {{3, 1e9}};
  const PlannerOptions options{.kind = PlanKind::Sequential, .device_use = DeviceUse::Exactly};
  try {
    plan_pipedream(on(test::chain_graph(4), test::ideal_cluster(4)), options, own);
    FAIL() << "three of four devices are used";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "levels: they have 3 devices, device_use is exactly; expected 4, as "
                 "the cluster has");
  }
}

TEST(Bapipe, GivesAFastDeviceMore) {
  // 4 operators of 3 s; the second device takes three times as long: 3 x 3 s and 1 x 9 s.
  Topology cluster = test::ideal_cluster(2);
  std::vector<Device> devices = cluster.devices();
  devices[1].slowdown = 3.0;
  const Plan plan = std::get<Plan>(
      plan_bapipe(on(test::chain_graph(4), cluster.with_devices(devices)),
                  {.name = "b", .kind = PlanKind::Sequential, .micro_batches = {1}}));
  EXPECT_THAT(sizes_of(plan), ElementsAre(3, 1));
  EXPECT_EQ(plan.stages[0].devices, (std::vector{DeviceId{0}}));
  EXPECT_NEAR(plan.objective->value, 9.0, 1e-9);
}

TEST(AlpaInterOp, SaysHowManyDevicesWouldDo) {
  // As the samples keep nothing, 200 B a layer: two layers fit into 500 B, six need three devices.
  Device device;
  device.memory = Bytes{500};
  const ComputationGraph six = test::chain_graph(6, {.output = Bytes{0}, .parameters = Bytes{100}});
  const PlannerResult result = plan_alpa_inter_op(on(six, test::ideal_cluster(2, device)),
                                                  {.name = "a", .kind = PlanKind::Sequential}, {});
  EXPECT_THAT(std::get<Infeasible>(result).reason,
              HasSubstr("the smallest feasible device count is 3"));
}

TEST(Bapipe, NamesTheSmallestMicroBatchThatDoesNotFit) {
  Device device;
  device.memory = Bytes{1};
  const ComputationGraph six = test::chain_graph(6, {.parameters = Bytes{100}});
  const PlannerResult result = plan_bapipe(on(six, test::ideal_cluster(2, device), 64),
                                           {.name = "b", .kind = PlanKind::Sequential});
  EXPECT_THAT(std::get<Infeasible>(result).reason, HasSubstr("micro-batches of 1 sample: "));
}

TEST(Bapipe, IsAtLeastAsFastAsEachScheduleItExplores) {
  // Messages take 1 s: more in flight than 1f1b's own hides them.
  const Workload workload = on(test::chain_graph(4), test::delayed_cluster(4, Seconds{1}), 16);
  Plan plan = std::get<Plan>(
      plan_bapipe(workload, {.name = "b", .kind = PlanKind::Sequential, .micro_batches = {1}}));
  const auto time = [&] { return evaluate(workload, plan, {}).iteration_time.count(); };
  const double chosen = time();
  plan.schedule = "gpipe";
  plan.extra_in_flight = 0;
  EXPECT_LE(chosen, time() * (1 + 1e-12));
  plan.schedule = "1f1b";
  EXPECT_LT(chosen, time());
  plan.extra_in_flight = 1;
  EXPECT_LE(chosen, time() * (1 + 1e-12));
}

TEST(Bapipe, ExploresNoOtherScheduleThanTheOneGiven) {
  const Workload workload = on(test::chain_graph(4), test::delayed_cluster(4, Seconds{1}), 16);
  const auto schedule_of = [&](const std::string& text) {
    MapReader reader(YamlValue::parse(text, "test"), "a plan");
    const ConfiguredPlanner planner = read_planner(reader, *find_planner("bapipe"));
    return std::get<Plan>(planner.run(workload, planner.options)).schedule;
  };
  for (const std::string given : {"1f1b", "gpipe", "kfkb", "zb1p"})
    EXPECT_EQ(schedule_of("{schedule: " + given + "}"), given);
  EXPECT_THAT(schedule_of("{extra_in_flight: 1}"), testing::AnyOf("1f1b", "gpipe"));
  EXPECT_THROW(schedule_of("{schedule: gpipe, extra_in_flight: 1}"), ConfigError);
}

}  // namespace
}  // namespace pipegraph
