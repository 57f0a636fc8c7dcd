#include "core/planners/search/optimise.h"

#include <gtest/gtest.h>

#include "core/planners/search/exhaustive.h"
#include "core/planners/search/fewest_devices.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

const int k_most_blocks = test::problem_size(7, 10);
const int k_most_devices = test::problem_size(5, 6);

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
  for (const std::uint64_t seed : test::problem_seeds(1500)) {
    RandomProblem random = random_problem(seed, k_most_blocks, k_most_devices);
    expect_optimum(random, seed);
  }
}

TEST(LeastBottleneck, EqualsTheExhaustiveOptimumOnChainsOfStages) {
  for (const std::uint64_t seed : test::problem_seeds(1500)) {
    RandomProblem random = random_problem(seed + 100'000, k_most_blocks, k_most_devices);
    random.problem.in_flight = InFlightRule::Position;
    expect_optimum(random, seed);
  }
}

TEST(LeastBottleneck, EqualsTheExhaustiveOptimumWithPowersOfTwoDevices) {
  for (const std::uint64_t seed : test::problem_seeds(500)) {
    RandomProblem random = random_problem(seed + 200'000, 6, 8);
    random.problem.device_counts = DeviceCounts::PowersOfTwo;
    expect_optimum(random, seed);
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);
    Prober prober(random.problem, pairs, random.costs);
    const auto plan = least_bottleneck(random.problem, random.costs, prober).plan;
    if (!plan) continue;
    for (const SearchStage& stage : plan->stages)
      EXPECT_EQ(stage.devices & (stage.devices - 1), 0) << "seed " << seed;
  }
}

TEST(FewestDevices, AreTheLeastThatTheExhaustiveSearchFindsEnough) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomProblem random = random_problem(seed + 300'000, 5, 1);
    random.costs.micro_batch = 1;  // one device a stage
    random.costs.share = {1};
    const auto costs = [&](int devices) {
      BatchCosts result = random.costs;
      result.max_devices = 1;
      result.row_of_devices.assign(static_cast<std::size_t>(devices) + 1, 0);
      return result;
    };
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);
    std::optional<int> expected;
    for (int devices = static_cast<int>(random.problem.blocks()); devices > 0; --devices) {
      SearchProblem larger = random.problem;
      larger.devices = devices;
      if (exhaustive_search(larger, costs(devices))) expected = devices;
    }
    EXPECT_EQ(fewest_devices(random.problem, pairs, costs), expected) << "seed " << seed;
    if (expected && *expected > 1) ++found;
  }
  EXPECT_GT(found, 10);
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
