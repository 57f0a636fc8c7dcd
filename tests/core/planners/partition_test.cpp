// The pieces of the simple planners: blocks, shares of devices, groups, branches, the chain.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "core/graph/digraph.h"
#include "core/planners/block_partition.h"
#include "core/planners/fork_join.h"
#include "core/planners/linearise.h"
#include "core/planners/share_devices.h"
#include "tests/support/tiny_graphs.h"

namespace pipegraph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

double largest_block(const std::vector<double>& weights, const std::vector<std::size_t>& ends) {
  double largest = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    EXPECT_LT(begin, end);
    double sum = 0;
    for (; begin < end; ++begin) sum += weights[begin];
    largest = std::max(largest, sum);
  }
  EXPECT_EQ(begin, weights.size());
  return largest;
}

/// Tries every way to cut.
double least_largest_block(const std::vector<double>& weights, std::size_t begin,
                           std::size_t blocks) {
  if (blocks == 1)
    return std::accumulate(weights.begin() + static_cast<std::ptrdiff_t>(begin), weights.end(),
                           0.0);
  double best = std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t end = begin + 1; end + blocks - 1 <= weights.size(); ++end) {
    sum += weights[end - 1];
    best = std::min(best, std::max(sum, least_largest_block(weights, end, blocks - 1)));
  }
  return best;
}

TEST(BlockPartition, IsOptimalOnRandomChains) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> weights(std::uniform_int_distribution<std::size_t>(1, 9)(random));
    for (double& weight : weights) weight = std::uniform_int_distribution(0, 7)(random);
    const auto blocks = std::uniform_int_distribution<std::size_t>(1, weights.size())(random);
    EXPECT_DOUBLE_EQ(largest_block(weights, block_partition(weights, blocks)),
                     least_largest_block(weights, 0, blocks));
  }
}

TEST(BlockPartition, OfManyBlocksNeedsNoTable) {
  // 20 000 pairs (1, 3) in 30 000 blocks: 10 000 blocks can hold two elements, so some block does
  // hold (1, 3) or (3, 1), and none needs more: blocks (1, 3) 10 000 times, then single elements.
  std::vector<double> weights;
  for (int i = 0; i < 20000; ++i) weights.insert(weights.end(), {1, 3});
  EXPECT_EQ(largest_block(weights, block_partition(weights, 30000)), 4);
  // One block fewer than elements: the lightest pair is put together, here a pair of ones.
  std::vector<double> rest(9000, 3);
  rest[4000] = rest[4001] = 1;
  EXPECT_EQ(largest_block(rest, block_partition(rest, 8999)), 3);
  EXPECT_EQ(largest_block(rest, block_partition(rest, 8998)), 4);
}

TEST(BlockPartition, OfThePublishedStageTimesHasNoBetterCycle) {
  // 3.153, six times 3.150, 3.901 ms on 8 devices: the cycle is the largest, 3.901 ms.
  const std::vector<double> weights{3.153, 3.15, 3.15, 3.15, 3.15, 3.15, 3.15, 3.901};
  const double cycle = largest_block(weights, block_partition(weights, 8));
  const double total = 3.153 + 6 * 3.150 + 3.901;
  EXPECT_DOUBLE_EQ(cycle, 3.901);
  EXPECT_NEAR(total / cycle, 6.65, 0.005);        // speed-up over one device, not 8
  EXPECT_NEAR(total / (8 * cycle), 0.832, 5e-4);  // balance
}

TEST(EqualPartition, KeepsThirtyLayersOnFourStages) {
  EXPECT_THAT(equal_partition(30, 4), ElementsAre(7, 15, 22, 30));
  EXPECT_THAT(equal_partition(8, 4), ElementsAre(2, 4, 6, 8));
}

TEST(ShareDevices, GoesByWorkWithTheLargestRemainderFirst) {
  // Quotas 8 x 5/10, 3/10, 2/10 = 4, 2.4, 1.6: floors 4, 2, 1 leave one for the third.
  EXPECT_THAT(share_devices(std::vector<Branch>{{5, 9}, {3, 9}, {2, 9}}, 8), ElementsAre(4, 2, 2));
}

TEST(ShareDevices, GivesEveryBranchOne) {
  // Quotas 3.88, 0.08, 0.04: 3, 1, 1 would be five of four, so the first gives one up.
  EXPECT_THAT(share_devices(std::vector<Branch>{{97, 9}, {2, 9}, {1, 9}}, 4), ElementsAre(2, 1, 1));
}

TEST(ShareDevices, NeverGivesMoreThanABranchCanUse) {
  EXPECT_THAT(share_devices(std::vector<Branch>{{9, 2}, {1, 3}}, 8), ElementsAre(2, 3));
  EXPECT_THAT(share_devices(std::vector<Branch>{{9, 2}, {1, 3}}, 4), ElementsAre(2, 2));
}

TEST(ShareDevices, TiesGoToTheFirst) {
  EXPECT_THAT(share_devices(std::vector<Branch>{{1, 9}, {1, 9}, {1, 9}}, 4), ElementsAre(2, 1, 1));
  EXPECT_THAT(share_devices(std::vector<Branch>{{0, 9}, {0, 9}}, 3), ElementsAre(2, 1));
}

TEST(GroupLongestFirst, FillsTheLightestGroup) {
  // 5 -> group 0, 4 -> 1, 3 -> 1 (4 < 5), 2 -> 0 (5 < 7), 1 -> 0 (7 = 7, the first).
  EXPECT_THAT(group_longest_first(std::vector<double>{2, 5, 1, 4, 3}, 2),
              ElementsAre(0, 0, 0, 1, 1));
}

TEST(GroupLongestFirst, LeavesNoGroupEmptyEvenWithoutWork) {
  EXPECT_THAT(group_longest_first(std::vector<double>{0, 0, 0}, 2), ElementsAre(0, 1, 0));
}

std::vector<int> values(const std::vector<OperatorId>& operators) {
  std::vector<int> result;
  for (const OperatorId op : operators) result.push_back(op.value);
  return result;
}

TEST(Linearise, FollowsBranchAfterBranchAndPutsJoinsLast) {
  EXPECT_THAT(values(linearise(test::fork_join_graph(2, 3))), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  // a0 a1 a2, then b0 b1 b2 b3, then a3, which joins.
  EXPECT_THAT(values(linearise(test::two_branches_graph())), ElementsAre(0, 1, 2, 4, 5, 6, 7, 3));
}

TEST(Linearise, IsTopologicalWhateverTheIds) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> place(8);
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
    std::vector<Operator> operators;
    for (int i = 0; i < 8; ++i)
      operators.push_back(test::tiny_operator("o" + std::to_string(i), {}));
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < i; ++j)
        if (random() % 3 == 0)
          operators[static_cast<std::size_t>(place[static_cast<std::size_t>(i)])].inputs.push_back(
              OperatorId{place[static_cast<std::size_t>(j)]});
    const ComputationGraph graph("shuffled", operators);
    const std::vector<OperatorId> order = linearise(graph);
    std::vector<std::size_t> position(8, 99);
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i].index()] = i;
    for (const Digraph::Edge& edge : graph.edges().edges())
      EXPECT_LT(position[static_cast<std::size_t>(edge.from)],
                position[static_cast<std::size_t>(edge.to)]);
  }
}

const std::vector<double> k_unit_work(32, 1.0);

TEST(ForkJoin, IsStemBranchesAndJoin) {
  const auto found = outermost_fork_join(test::fork_join_graph(3, 2), k_unit_work);
  const ForkJoin& parts = std::get<ForkJoin>(found);
  EXPECT_THAT(values(parts.stem), ElementsAre(0));
  ASSERT_EQ(parts.branches.size(), 3U);
  EXPECT_THAT(values(parts.branches[1]), ElementsAre(3, 4));
  EXPECT_THAT(values(parts.join), ElementsAre(7));
}

TEST(ForkJoin, NeedsNoStem) {
  // x, y -> z: two sources that meet.
  std::vector<Operator> operators{test::tiny_operator("x", {}), test::tiny_operator("y", {}),
                                  test::tiny_operator("z", {OperatorId{0}, OperatorId{1}})};
  const auto found = outermost_fork_join(ComputationGraph("meet", operators), k_unit_work);
  const ForkJoin& parts = std::get<ForkJoin>(found);
  EXPECT_THAT(parts.stem, IsEmpty());
  EXPECT_EQ(parts.branches.size(), 2U);
  EXPECT_THAT(values(parts.join), ElementsAre(2));
}

TEST(ForkJoin, ABypassAroundOneBranchIsNone) {
  // 0 -> 1 -> 2 and 0 -> 2.
  std::vector<Operator> operators{test::tiny_operator("x", {}),
                                  test::tiny_operator("y", {OperatorId{0}}),
                                  test::tiny_operator("z", {OperatorId{0}, OperatorId{1}})};
  const auto found = outermost_fork_join(ComputationGraph("bypass", operators), k_unit_work);
  EXPECT_EQ(std::get<NoForkJoin>(found).reason, "the graph has no parallel branches");
}

TEST(ForkJoin, OfSeveralInSeriesTheOneWithTheMostWorkCounts) {
  // 0 -> {1, 2} -> 3 -> {4, 5} -> 6, the second pair heavier.
  const std::vector<std::vector<int>> inputs{{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}};
  std::vector<Operator> operators;
  for (const auto& list : inputs) {
    operators.push_back(test::tiny_operator("o" + std::to_string(operators.size()), {}));
    for (const int input : list) operators.back().inputs.push_back(OperatorId{input});
  }
  const std::vector<double> work{1, 1, 1, 1, 2, 2, 1};
  const auto found = outermost_fork_join(ComputationGraph("twice", operators), work);
  const ForkJoin& parts = std::get<ForkJoin>(found);
  EXPECT_THAT(values(parts.stem), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(parts.join), ElementsAre(6));
}

TEST(ForkJoin, OfAGraphThatIsNotSeriesParallelSaysWhere) {
  const auto found = outermost_fork_join(test::crossing_skips_graph(), k_unit_work);
  EXPECT_THAT(std::get<NoForkJoin>(found).reason,
              testing::StartsWith("the graph is not series-parallel between '"));
}

}  // namespace
}  // namespace pipegraph
