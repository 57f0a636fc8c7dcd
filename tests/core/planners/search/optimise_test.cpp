#include "core/planners/search/optimise.h"

#include <gtest/gtest.h>

#include "core/planners/search/exhaustive.h"
#include "tests/core/planners/search/random_problem.h"

namespace pipegraph {
namespace {

void expect_optimum(const RandomProblem& random, std::uint64_t seed) {
  const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
  const PairTable pairs(random.problem, family);
  Prober prober(random.problem, pairs, random.costs);

  const SearchOutcome found = least_bottleneck(random.problem, random.costs, prober);

  const auto best = exhaustive_search(random.problem, random.costs);
  EXPECT_TRUE(found.exact) << "seed " << seed;
  ASSERT_EQ(found.plan.has_value(), best.has_value()) << "seed " << seed;
  if (!best) return;
  EXPECT_NEAR(found.plan->max_time_per_sample, best->max_time_per_sample,
              2e-9 * best->max_time_per_sample)
      << "seed " << seed;
  EXPECT_LE(found.lower_bound, best->max_time_per_sample * (1 + 1e-12)) << "seed " << seed;
}

TEST(LeastBottleneck, EqualsTheExhaustiveOptimumOnGraphs) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    RandomProblem random = random_problem(seed, 7, 5);
    expect_optimum(random, seed);
  }
}

TEST(LeastBottleneck, EqualsTheExhaustiveOptimumOnChainsOfStages) {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    RandomProblem random = random_problem(seed + 100'000, 7, 5);
    random.problem.in_flight = InFlightRule::Position;
    expect_optimum(random, seed);
  }
}

TEST(BreakTies, KeepsTheBottleneckAndNeverDeepens) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomProblem random = random_problem(seed, 8, 6);
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);
    Prober prober(random.problem, pairs, random.costs);
    const SearchOutcome found = least_bottleneck(random.problem, random.costs, prober);
    if (!found.plan) continue;

    const SearchPlan settled = break_ties(random.problem, random.costs, prober, *found.plan);

    EXPECT_LE(settled.max_time_per_sample, found.plan->max_time_per_sample * (1 + 2e-9));
    EXPECT_LE(settled.depth(), found.plan->depth());
  }
}

}  // namespace
}  // namespace pipegraph
