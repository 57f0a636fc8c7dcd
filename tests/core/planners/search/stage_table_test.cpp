// The searches against the straightforward table over (stages, ideal, devices).
#include "bench/baselines/stage_table.h"

#include <gtest/gtest.h>

#include "core/planners/search/exhaustive.h"
#include "core/planners/search/optimise.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

TEST(StageTable, EqualsTheExhaustiveOptimumOfChains) {
  for (const std::uint64_t seed : test::problem_seeds(500)) {
    RandomProblem random = random_problem(seed, 7, 5);
    random.problem.in_flight = InFlightRule::Position;
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);
    const auto table = bench::table_bottleneck(random.problem, pairs, random.costs);
    const auto best = exhaustive_search(random.problem, random.costs);
    ASSERT_EQ(table.has_value(), best.has_value()) << "seed " << seed;
    if (!best) continue;
    EXPECT_NEAR(*table, best->max_time_per_sample, 1e-9 * best->max_time_per_sample)
        << "seed " << seed;
  }
}

TEST(StageTable, EqualsTheSearchOnLargerGraphsOfChains) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomProblem random = random_problem(seed, 14, 12);
    random.problem.in_flight = InFlightRule::Position;
    const auto family = all_ideals(random.problem.graph, 2'000);
    if (!family) continue;
    const PairTable pairs(random.problem, *family);
    Prober prober(random.problem, pairs, random.costs);
    const auto found = least_bottleneck(random.problem, random.costs, prober).plan;
    const auto table = bench::table_bottleneck(random.problem, pairs, random.costs);
    ASSERT_EQ(found.has_value(), table.has_value()) << "seed " << seed;
    if (!found) continue;
    EXPECT_NEAR(found->max_time_per_sample, *table, 2e-9 * *table) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pipegraph
