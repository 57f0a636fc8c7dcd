// The exhaustive planner: small optima redone by hand, and its limits.
#include "core/planners/exhaustive.h"

#include <gmock/gmock.h>

#include "core/planners/search/exhaustive.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"
#include "tests/support/tiny_stages.h"

namespace pipegraph {
namespace {

using testing::HasSubstr;

double visits(const Digraph& graph, std::size_t most_stages) {
  double count = 0;
  for_each_partition(graph, most_stages, [&](const SearchPlan&) { ++count; });
  return count;
}

TEST(CountPartitions, CountsWhatIsVisited) {
  const Digraph chain(3, {{0, 1}, {1, 2}});
  EXPECT_EQ(count_partitions(chain, 2), 3);  // one stage, or a cut at either edge
  EXPECT_EQ(count_partitions(chain, 3), 4);
  const Digraph free(2, {});
  EXPECT_EQ(count_partitions(free, 2), 3);  // together, or one before the other
  const Digraph diamond(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  for (std::size_t stages = 1; stages <= 4; ++stages)
    EXPECT_EQ(count_partitions(diamond, stages), visits(diamond, stages));
}

TEST(Exhaustive, FindsTheLeastBottleneck) {
  // Stem, two branches of two operators, join: 6 x 3 s. On three devices one micro-batch of one
  // sample cannot be shared, so some stage has two operators: 6 s; all of them two.
  const Workload workload =
      test::tiny_workload(test::fork_join_graph(2, 2), test::ideal_cluster(3), {.mini_batch = 4});
  PlannerOptions options;
  options.micro_batches = {1};
  const Plan plan = std::get<Plan>(plan_exhaustive(workload, options));
  EXPECT_DOUBLE_EQ(plan.objective->value, 6.0);
  EXPECT_EQ(plan.stages.size(), 3U);
  EXPECT_TRUE(plan.search->exact);
  // Micro-batches of three end in one of a single sample, so replicas stay excluded.
  options.micro_batches = {3};
  EXPECT_DOUBLE_EQ(std::get<Plan>(plan_exhaustive(workload, options)).objective->value, 6.0);
}

TEST(Exhaustive, RefusesWhatWouldTakeTooLong) {
  const auto reason = [](const ComputationGraph& graph, int devices) {
    return std::get<Infeasible>(
               plan_exhaustive(
                   test::tiny_workload(graph, test::ideal_cluster(devices), {.mini_batch = 1}), {}))
        .reason;
  };
  EXPECT_THAT(reason(test::chain_graph(13), 2), HasSubstr("13 operators on 2 devices"));
  EXPECT_THAT(reason(test::chain_graph(3), 7), HasSubstr("at most 12 operators and 6 devices"));
  // Ten branches of one operator between stem and join: cuts of ten free operators in six stages.
  EXPECT_THAT(reason(test::fork_join_graph(10, 1), 6), HasSubstr("ordered partitions"));
}

TEST(Exhaustive, SaysThatNothingFits) {
  Device device;
  device.memory = Bytes{1000};
  const Workload workload = test::tiny_workload(test::chain_graph(2, {.parameters = Bytes{4096}}),
                                                test::ideal_cluster(2, device), {.mini_batch = 1});
  EXPECT_THAT(std::get<Infeasible>(plan_exhaustive(workload, {})).reason,
              HasSubstr("no partition into stages fits"));
}

}  // namespace
}  // namespace pipegraph
