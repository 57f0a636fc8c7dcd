#include "core/planners/search/family.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/planners/search/optimise.h"
#include "tests/core/planners/search/random_problem.h"

namespace pipegraph {
namespace {

/// A stem (block 0), `branches` chains of `length` blocks, a join (last).
Digraph fork_join(int branches, int length) {
  std::vector<Digraph::Edge> edges;
  const int join = branches * length + 1;
  for (int branch = 0; branch < branches; ++branch)
    for (int i = 0; i < length; ++i) {
      const int at = 1 + branch * length + i;
      edges.push_back({i == 0 ? 0 : at - 1, at});
      if (i + 1 == length) edges.push_back({at, join});
    }
  return Digraph(static_cast<std::size_t>(join) + 1, edges);
}

TEST(AllIdeals, AreThePositionsOfEveryBranch) {
  // The join first, then (length + 1)^branches depths, then the stem; plus the empty set.
  EXPECT_EQ(all_ideals(fork_join(2, 3), 100)->ideals.size(), 1U + 16U + 1U);
  EXPECT_EQ(all_ideals(fork_join(3, 2), 100)->ideals.size(), 1U + 27U + 1U);
  EXPECT_FALSE(all_ideals(fork_join(3, 2), 28).has_value());
}

TEST(SeriesParallelFamily, CountsFollowFromTheBranchCuts) {
  const Digraph graph = fork_join(4, 3);
  const std::vector<std::uint64_t> equal(graph.size(), 7);
  const auto size = [&](BranchCuts cuts) {
    return series_parallel_family(graph, equal, cuts, 1000)->ideals.size();
  };
  // Depths 0..3 of 4 identical branches, order irrelevant: C(7, 4) = 35. Empty set and stem on top.
  EXPECT_EQ(size(BranchCuts::Multiset), 35U + 2U);
  // a whole branches, r >= 1 cut at depth 1 or 2, a + r <= 4: 10 pairs x 2; whole counts 0..4.
  EXPECT_EQ(size(BranchCuts::Split), 20U + 5U + 2U);
  // a = 0..3 whole, one at depth 1 or 2: 8; all four at depth 1 or 2: 2; whole counts: 5.
  EXPECT_EQ(size(BranchCuts::OneCut), 8U + 2U + 5U + 2U);
  EXPECT_EQ(size(BranchCuts::Ordered), 8U + 2U + 5U + 2U);
}

TEST(SeriesParallelFamily, TakesClassesOfBranchesOneAfterTheOtherWhenOrdered) {
  const Digraph graph = fork_join(2, 3);
  std::vector<std::uint64_t> different(graph.size(), 7);
  different[1] = 8;  // the first branch is a class of its own
  // One cut: depths (a, 0), (a, 3), (0, b), (3, b): 4 corners + 4 x 2. Ordered: one path of 7.
  EXPECT_EQ(series_parallel_family(graph, different, BranchCuts::OneCut, 99)->ideals.size(),
            12U + 2U);
  EXPECT_EQ(series_parallel_family(graph, different, BranchCuts::Ordered, 99)->ideals.size(),
            7U + 2U);
}

TEST(ChooseFamily, HoldsOnlyIdealsFromEmptyToFullUnderItsLimit) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomProblem random = random_problem(seed, 12, 4);
    const std::vector<std::uint64_t> equal(random.problem.blocks(), 1);
    for (const std::size_t limit : {std::size_t{14}, std::size_t{30}, std::size_t{4000}}) {
      const IdealFamily family = choose_family(random.problem, equal, {limit, limit});
      EXPECT_LE(family.ideals.size(), limit);
      EXPECT_TRUE(family.ideals.front().empty());
      EXPECT_EQ(family.ideals.back().count(), random.problem.blocks());
      EXPECT_TRUE(std::ranges::all_of(
          family.ideals, [&](const NodeSet& set) { return is_ideal(random.problem.graph, set); }));
    }
  }
}

TEST(ChooseFamily, NeverBeatsAllIdeals) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomProblem random = random_problem(seed, 9, 6);
    const std::vector<std::uint64_t> equal(random.problem.blocks(), 1);
    const auto value = [&](const IdealFamily& family) {
      const PairTable pairs(random.problem, family);
      Prober prober(random.problem, pairs, random.costs);
      const auto plan = least_bottleneck(random.problem, random.costs, prober).plan;
      return plan ? plan->max_time_per_sample : std::numeric_limits<double>::infinity();
    };
    EXPECT_GE(value(choose_family(random.problem, equal,
                                  {random.problem.blocks() + 1, random.problem.blocks() + 1})),
              value(*all_ideals(random.problem.graph, 4000)) * (1 - 2e-9));
  }
}

TEST(LeanOrder, FinishesTheBranchWhoseTensorsAreSmall) {
  // 0 and 1 feed 2; 0 reads 3 (1 B), 1 reads 4 (9 B): taking 0 frees its 5 B and adds 1.
  SearchProblem problem;
  problem.graph = Digraph(5, {{3, 0}, {4, 1}, {0, 2}, {1, 2}});
  problem.fixed.assign(5, 0.0);
  problem.tensors = {{0, {2}, 5.0, 2.0, 0.0},
                     {1, {2}, 5.0, 2.0, 0.0},
                     {3, {0}, 1.0, 2.0, 0.0},
                     {4, {1}, 9.0, 2.0, 0.0}};

  EXPECT_EQ(lean_order(problem), (std::vector<Digraph::Node>{4, 1, 3, 0, 2}));
}

}  // namespace
}  // namespace pipegraph
