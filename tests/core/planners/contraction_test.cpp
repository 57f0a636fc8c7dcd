#include "core/planners/contraction.h"

#include <gtest/gtest.h>

#include "core/graph/node_set.h"
#include "tests/support/tiny_clusters.h"
#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

Workload workload_of(ComputationGraph graph, int devices) {
  Workload workload;
  workload.graph = std::make_shared<const ComputationGraph>(std::move(graph));
  workload.topology = std::make_shared<const Topology>(test::ideal_cluster(devices));
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
