// The graphpipe planner from workload to plan.
#include "core/planners/graphpipe.h"

#include <gmock/gmock.h>

#include "core/planners/no_fit.h"
#include "core/planners/search/exhaustive.h"
#include "core/planners/search_input.h"
#include "tests/core/planners/random_workload.h"
#include "tests/support/problem_seeds.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using test::TinyOperator;
using testing::HasSubstr;

constexpr double k_equal = 2e-9;  // the search's proof tolerance, both ways

PlannerOptions by_objective(std::int32_t micro_batch, PlanKind kind) {
  PlannerOptions options;
  options.name = "test";
  options.kind = kind;
  options.micro_batches = {micro_batch};
  options.choose = Choose::Objective;
  return options;
}

/// What the planner claims: the least bottleneck of all plans by the search's rules, as long as its
/// memory rule decides (a plan that the final check refuses is searched again with less memory).
void expect_least_bottleneck(const RandomWorkload& random, PlanKind kind, std::uint64_t seed) {
  SearchInput input = search_input(random.workload);
  input.problem.in_flight =
      kind == PlanKind::Graph ? InFlightRule::LongestPath : InFlightRule::Position;
  const auto best =
      exhaustive_search(input.problem, batch_costs(random.workload, input, random.micro_batch));

  const PlannerResult found =
      plan_graphpipe(random.workload, by_objective(random.micro_batch, kind), {});

  const Plan* plan = std::get_if<Plan>(&found);
  if (!best) {
    EXPECT_EQ(plan, nullptr) << "seed " << seed;
    return;
  }
  if (plan == nullptr) {  // only the final memory check may refuse what the search's rule allows
    EXPECT_LT(input.problem.memory, 1e12) << "seed " << seed;
    return;
  }
  EXPECT_GE(plan->objective->value, best->max_time_per_sample * (1 - k_equal)) << "seed " << seed;
  if (input.problem.memory > 1e12) {
    EXPECT_LE(plan->objective->value, best->max_time_per_sample * (1 + k_equal)) << "seed " << seed;
  }
  EXPECT_LE(*plan->search->lower_bound_s, best->max_time_per_sample * (1 + k_equal));
  EXPECT_TRUE(evaluate(random.workload, *plan).ok()) << "seed " << seed;
}

TEST(Graphpipe, FindsTheLeastBottleneckOfAllGraphs) {
  for (const std::uint64_t seed : test::problem_seeds(1000))
    expect_least_bottleneck(random_workload(seed), PlanKind::Graph, seed);
}

TEST(Graphpipe, FindsTheLeastBottleneckOfAllChainsWhenSequential) {
  for (const std::uint64_t seed : test::problem_seeds(1000))
    expect_least_bottleneck(random_workload(seed + 5000), PlanKind::Sequential, seed + 5000);
}

TEST(Graphpipe, GivesTheSameStagesAsAChainOnAPlainChain) {
  const Workload workload =
      test::tiny_workload(test::chain_graph(8), test::ideal_cluster(4), {.mini_batch = 8});
  const Plan graph = std::get<Plan>(plan_graphpipe(workload, by_objective(1, PlanKind::Graph), {}));
  const Plan chain =
      std::get<Plan>(plan_graphpipe(workload, by_objective(1, PlanKind::Sequential), {}));
  ASSERT_EQ(graph.stages.size(), 4U);
  for (std::size_t s = 0; s < 4; ++s)
    EXPECT_EQ(graph.stages[s].operators, chain.stages[s].operators);
  EXPECT_DOUBLE_EQ(graph.objective->value, 6.0);  // two operators of 1 s + 2 s
}

TEST(Graphpipe, RunsBranchesSideBySide) {
  // Two branches of four operators on eight devices: an operator each; b3 feeds a3.
  const Workload workload =
      test::tiny_workload(test::two_branches_graph(), test::ideal_cluster(8), {.mini_batch = 8});
  const Plan plan = std::get<Plan>(plan_graphpipe(workload, by_objective(1, PlanKind::Graph), {}));
  const StageGraph stages(*workload.graph, plan.stages, plan.kind);
  EXPECT_EQ(plan.stages.size(), 8U);
  EXPECT_EQ(stages.depth(), 5);
  EXPECT_TRUE(plan.search->exact);
  EXPECT_NEAR(evaluate(workload, plan).iteration_time.count(), 36.0, 1e-9);  // redone on paper
}

TEST(Graphpipe, NeverGetsWorseWithMoreDevicesOrMemory) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ComputationGraph graph = *random_workload(seed).workload.graph;
    double previous = std::numeric_limits<double>::infinity();
    for (int devices = 1; devices <= 6; ++devices) {
      const Workload workload =
          test::tiny_workload(graph, test::ideal_cluster(devices), {.mini_batch = 6});
      const Plan plan =
          std::get<Plan>(plan_graphpipe(workload, by_objective(3, PlanKind::Graph), {}));
      EXPECT_LE(plan.objective->value, previous * (1 + k_equal)) << "seed " << seed;
      previous = plan.objective->value;
    }
  }
}

TEST(Graphpipe, SaysWhichOperatorNeedsMoreThanADevice) {
  Device device;
  device.memory = Bytes{1 << 20};
  const Workload workload =
      test::tiny_workload(test::chain_graph(2, {.parameters = Bytes{1 << 20}}),
                          test::ideal_cluster(4, device), {.mini_batch = 4});
  const PlannerResult result = plan_graphpipe(workload, by_objective(1, PlanKind::Graph), {});
  EXPECT_THAT(std::get<Infeasible>(result).reason,
              // parameters and gradients, 2 MiB; input and output of a sample, 2 KiB
              HasSubstr("stage with 's1' needs 2.002 MiB on one device, limit 1 MiB"));
}

TEST(Graphpipe, SaysHowManyDevicesWouldDo) {
  // Each operator needs 2 MiB for parameters and gradients, so a device of 5 MiB holds two of six.
  Device device;
  device.memory = Bytes{5 << 20};
  const auto reason = [&](const TinyOperator& costs) {
    const Workload workload = test::tiny_workload(
        test::chain_graph(6, costs), test::ideal_cluster(2, device), {.mini_batch = 4});
    return std::get<Infeasible>(plan_graphpipe(workload, by_objective(1, PlanKind::Graph), {}))
        .reason;
  };
  EXPECT_THAT(reason({.parameters = Bytes{1 << 20}}),
              HasSubstr("fits 5 MiB per device; the smallest feasible device count is 3"));
  EXPECT_THAT(reason({.parameters = Bytes{3 << 20}}), HasSubstr("; more devices do not help"));
}

TEST(FewestDevices, AreSaidOnlyWhereThereAreFewer) {
  EXPECT_EQ(fewest_devices_text(3, 2), "the smallest feasible device count is 3");
  EXPECT_EQ(fewest_devices_text(2, 2), "by the search's own rule of memory 2 would do");
}

TEST(Graphpipe, SearchesByThePapersRecursion) {
  const Workload workload =
      test::tiny_workload(test::fork_join_graph(2, 3), test::ideal_cluster(8), {.mini_batch = 8});
  const auto value = [&](const GraphpipeOptions& own) {
    const PlannerResult found = plan_graphpipe(workload, by_objective(1, PlanKind::Graph), own);
    const Plan& plan = std::get<Plan>(found);
    EXPECT_TRUE(evaluate(workload, plan).ok());
    return plan.objective->value;
  };
  // Eight operators on eight devices, one each: 3 s.
  EXPECT_NEAR(value({.search = GraphpipeSearchMethod::Paper}), 3.0, 1e-5);
  EXPECT_NEAR(value({}), 3.0, 1e-8);
}

TEST(Graphpipe, ContractsForThePapersRecursionWhatIsNotSeriesParallel) {
  const Workload workload =
      test::tiny_workload(test::crossing_skips_graph(), test::ideal_cluster(2), {.mini_batch = 4});
  const Plan plan = std::get<Plan>(plan_graphpipe(workload, by_objective(1, PlanKind::Graph),
                                                  {.search = GraphpipeSearchMethod::Paper}));
  EXPECT_EQ(plan.stages.size(), 1U);
  EXPECT_THAT(plan.search->notes,
              testing::Contains(HasSubstr("not series-parallel: 4 operators from 's0' to 's3'")));
}

TEST(Graphpipe, PapersRecursionIsNeverBetterThanTheSearchOverAllIdeals) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomWorkload random = random_workload(seed + 11'000);
    const auto value = [&](const GraphpipeOptions& own) {
      const PlannerResult found =
          plan_graphpipe(random.workload, by_objective(random.micro_batch, PlanKind::Graph), own);
      const Plan* plan = std::get_if<Plan>(&found);
      return plan == nullptr ? std::numeric_limits<double>::infinity() : plan->objective->value;
    };
    const double all = value({});
    const GraphpipeOptions paper{.search = GraphpipeSearchMethod::Paper,
                                 .device_counts = DeviceCounts::All};
    if (random.workload.topology->devices().front().unlimited_memory()) {
      EXPECT_GE(value(paper), all * (1 - k_equal)) << "seed " << seed;
    }
  }
}

TEST(Graphpipe, GivesStagesMicroBatchSizesOfTheirOwn) {
  // A plan with sizes of its own is one of a larger class: never worse than with one size, and
  // where memory is short sometimes better.
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomWorkload random = random_workload(seed + 21'000);
    PlannerOptions options = by_objective(1, PlanKind::Graph);
    options.micro_batches = {};
    const auto value = [&](const GraphpipeOptions& own) {
      const PlannerResult found = plan_graphpipe(random.workload, options, own);
      const Plan* plan = std::get_if<Plan>(&found);
      if (plan != nullptr) {
        EXPECT_TRUE(evaluate(random.workload, *plan).ok()) << "seed " << seed;
      }
      return plan == nullptr ? std::numeric_limits<double>::infinity() : plan->objective->value;
    };
    const double one = value({});
    const double own = value({.micro_batches = MicroBatchSizes::PerStage});
    if (random.workload.topology->devices().front().unlimited_memory()) {
      EXPECT_LE(own, one * (1 + k_equal)) << "seed " << seed;
    }
    if (own < one * (1 - k_equal)) ++better;
    value({.micro_batches = MicroBatchSizes::PerStage, .ks = {1, 2}});
  }
  EXPECT_GT(better, 0);
}

TEST(Graphpipe, LimitsTheSizesOfStagesWhereThatShortensTheIteration) {
  int shorter = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomWorkload random = random_workload(seed + 23'000);
    const auto seconds = [&](Choose choose) {
      const PlannerResult found =
          plan_graphpipe(random.workload, {.name = "test", .choose = choose},
                         {.micro_batches = MicroBatchSizes::PerStage, .ks = {1, 2}});
      const Plan* plan = std::get_if<Plan>(&found);
      return plan == nullptr ? std::numeric_limits<double>::infinity()
                             : evaluate(random.workload, *plan).iteration_time.count();
    };
    const double chosen = seconds(Choose::IterationTime);
    const double all_sizes = seconds(Choose::Objective);
    EXPECT_LE(chosen, all_sizes * (1 + 1e-9)) << "seed " << seed;
    if (chosen < 0.95 * all_sizes) ++shorter;
  }
  EXPECT_GT(shorter, 10);
}

}  // namespace
}  // namespace pipegraph
