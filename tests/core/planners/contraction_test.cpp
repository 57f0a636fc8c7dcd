#include "core/planners/contraction.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "core/graph/node_set.h"
#include "core/planners/graphpipe.h"
#include "core/planners/options.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

Workload workload_of(ComputationGraph graph, int devices, const Device& device = {}) {
  Workload workload;
  workload.graph = std::make_shared<const ComputationGraph>(std::move(graph));
  workload.topology = std::make_shared<const Topology>(test::ideal_cluster(devices, device));
  workload.costs = std::make_shared<const RooflineCosts>(*workload.graph);
  workload.training.mini_batch = 8;
  return workload;
}

std::vector<std::size_t> sizes(const std::vector<std::vector<OperatorId>>& blocks) {
  std::vector<std::size_t> result;
  for (const auto& block : blocks) result.push_back(block.size());
  return result;
}

TEST(Contraction, LeavesSmallGraphsAlone) {
  const Workload workload = workload_of(test::chain_graph(6), 2);
  EXPECT_EQ(contracted_blocks(workload, search_input(workload), 6).size(), 6U);
}

TEST(Contraction, JoinsNeighboursOfAChainEvenly) {
  const Workload workload = workload_of(test::chain_graph(16), 2);
  EXPECT_EQ(sizes(contracted_blocks(workload, search_input(workload), 4)),
            (std::vector<std::size_t>{4, 4, 4, 4}));
}

/// Every operator reads the three before it, so that only the first ones have a single neighbour.
ComputationGraph dense_graph(int size, const test::TinyOperator& costs = {}) {
  std::vector<Operator> operators;
  for (int i = 0; i < size; ++i) {
    std::vector<OperatorId> inputs;
    for (int before = std::max(0, i - 3); before < i; ++before)
      inputs.push_back(OperatorId{before});
    operators.push_back(test::tiny_operator(fmt::format("o{}", i), inputs, costs));
  }
  return {"dense", std::move(operators)};
}

TEST(Contraction, CutsAGraphOfManyNeighboursEvenly) {
  const Workload workload = workload_of(dense_graph(60), 2);
  EXPECT_EQ(sizes(contracted_blocks(workload, search_input(workload), 20)),
            std::vector<std::size_t>(20, 3));
}

TEST(Contraction, MakesNoBlockOfMoreThanHalfADevicesMemory) {
  // 200 B each with gradients: two fit into 500 B, three do not.
  Device device;
  device.memory = Bytes{1000};
  const test::TinyOperator costs{.output = Bytes{0}, .parameters = Bytes{100}};
  for (ComputationGraph graph : {test::chain_graph(16, costs), dense_graph(16, costs)}) {
    const Workload workload = workload_of(std::move(graph), 8, device);
    EXPECT_EQ(sizes(contracted_blocks(workload, search_input(workload), 1)),
              std::vector<std::size_t>(8, 2));
  }
}

TEST(Contraction, LeavesPlannersAPlanThatFitsAndABoundThatHolds) {
  // 200 B each: ten on each of four devices, with room for two more.
  Device device;
  device.memory = Bytes{2400};
  const Workload workload =
      workload_of(dense_graph(40, {.output = Bytes{0}, .parameters = Bytes{100}}), 4, device);
  const PlannerOptions options{.micro_batches = {1}, .choose = Choose::Objective};
  const auto plan = [&](std::size_t blocks) {
    return std::get<Plan>(plan_graphpipe(workload, options, {.blocks = blocks}));
  };
  const Plan coarse = plan(10);
  const Plan fine = plan(40);
  EXPECT_GT(coarse.objective->value, fine.objective->value);  // 3 x 12 s and 3 x 10 s
  EXPECT_LE(*coarse.search->lower_bound_s, fine.objective->value * (1 + 1e-12));
  EXPECT_FALSE(coarse.search->exact);
}

TEST(Contraction, IsNamedWhereNothingFits) {
  // 40 x 200 B on four devices of 1000 B; blocks of two.
  Device device;
  device.memory = Bytes{1000};
  const Workload workload =
      workload_of(dense_graph(40, {.output = Bytes{0}, .parameters = Bytes{100}}), 4, device);
  const PlannerResult result = plan_graphpipe(workload, {.micro_batches = {1}}, {.blocks = 10});
  EXPECT_THAT(std::get<Infeasible>(result).reason,
              testing::HasSubstr(
                  "(40 operators are searched as 20 blocks; a larger 'blocks' cuts finer); the "
                  "smallest feasible device count is 10"));
}

TEST(Contraction, WithSizesPerStageBeginsEarlierUnlessBlocksAreGiven) {
  const Workload workload = workload_of(test::chain_graph(60), 2);
  const auto notes = [&](const std::string& blocks) {
    MapReader reader(
        YamlValue::parse("{micro_batches: per_stage, micro_batch: 1" + blocks + "}", "p"),
        "a plan");
    const ConfiguredPlanner planner = read_planner(reader, *find_planner("graphpipe"));
    return std::get<Plan>(planner.run(workload, planner.options)).search->notes;
  };
  EXPECT_THAT(notes(""), testing::Contains(testing::HasSubstr("60 operators contracted to")));
  EXPECT_THAT(notes(", blocks: 60"),
              testing::Not(testing::Contains(testing::HasSubstr("contracted"))));
}

TEST(Contraction, OfAModelWithoutWorkEnds) {
  const Workload workload =
      workload_of(dense_graph(30, {.forward = Seconds{0}, .backward = Seconds{0}}), 2);
  EXPECT_LE(contracted_blocks(workload, search_input(workload), 10).size(), 10U);
}

TEST(Contraction, NeverJoinsAcrossAForkOrIntoACycle) {
  for (const std::size_t most : {12U, 8U, 5U, 3U, 1U}) {
    const Workload workload = workload_of(test::fork_join_graph(3, 4), 4);
    const SearchInput fine = search_input(workload);
    const auto blocks = contracted_blocks(workload, fine, most);
    const SearchInput coarse = search_input(workload, blocks);
    EXPECT_TRUE(topological_order(coarse.problem.graph).has_value());
    EXPECT_GE(blocks.size(), 1U);
    for (const auto& block : blocks) {
      NodeSet set(workload.graph->size());
      for (const OperatorId id : block) set.insert(id.value);
      EXPECT_TRUE(is_convex(workload.graph->edges(), set));
    }
  }
}

}  // namespace
}  // namespace pipegraph
