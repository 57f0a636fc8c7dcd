// Against every sequence of nested ideals and every split of devices: the class of chains that the
// sweep claims to search.
#include "core/planners/search/latency_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/planners/search/exhaustive.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

double latency(const SearchProblem& problem, const BatchCosts& costs, const SearchPlan& plan) {
  double sum = 0.0;
  double largest = 0.0;
  for (const SearchStage& stage : plan.stages) {
    const double time = time_per_sample(problem, costs, stage.blocks, stage.devices);
    sum += time;
    largest = std::max(largest, time);
  }
  const int batches = (problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch;
  return (sum + (batches - 1) * largest) * costs.micro_batch;
}

/// Least latency of a partition over all splits of the devices that fit.
double over_splits(const RandomProblem& random, SearchPlan plan, std::size_t stage, int left) {
  if (stage == plan.stages.size()) return latency(random.problem, random.costs, plan);
  double best = std::numeric_limits<double>::infinity();
  for (int d = 1; d <= std::min(left, random.costs.max_devices); ++d) {
    plan.stages[stage].devices = d;
    if (memory_needed(random.problem, random.costs, plan.stages[stage].blocks, d,
                      static_cast<int>(stage) + 1) <= random.problem.memory)
      best = std::min(best, over_splits(random, plan, stage + 1, left - d));
  }
  return best;
}

double exhaustive_latency(const RandomProblem& random) {
  double best = std::numeric_limits<double>::infinity();
  for_each_partition(random.problem.graph, static_cast<std::size_t>(random.problem.devices),
                     [&](const SearchPlan& partition) {
                       best = std::min(best,
                                       over_splits(random, partition, 0, random.problem.devices));
                     });
  return best;
}

TEST(LeastLatency, EqualsTheBestOfAllChainsAndSplits) {
  for (const std::uint64_t seed : test::problem_seeds(1000)) {
    RandomProblem random = random_problem(seed, 6, 5);
    random.problem.in_flight = InFlightRule::Position;
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);

    const LatencyOutcome found = least_latency(random.problem, pairs, random.costs);

    const double best = exhaustive_latency(random);
    ASSERT_EQ(found.plan.has_value(), best < 1e300) << "seed " << seed;
    if (!found.plan) continue;
    EXPECT_NEAR(found.latency, best, 1e-9 * best) << "seed " << seed;
    EXPECT_NEAR(found.lower_bound, best, 1e-9 * best) << "seed " << seed;
    EXPECT_NEAR(latency(random.problem, random.costs, *found.plan), best, 1e-9 * best);
  }
}

TEST(LeastLatency, WithStepsStaysWithinTheirSize) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomProblem random = random_problem(seed, 8, 6);
    random.problem.in_flight = InFlightRule::Position;
    const IdealFamily family = *all_ideals(random.problem.graph, 1 << 12);
    const PairTable pairs(random.problem, family);
    const LatencyOutcome exact = least_latency(random.problem, pairs, random.costs);
    if (!exact.plan) continue;

    const LatencyOutcome coarse = least_latency(random.problem, pairs, random.costs, {0.05});

    EXPECT_LE(coarse.latency, exact.latency * 1.05 * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(coarse.lower_bound, exact.latency * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(coarse.latency, coarse.lower_bound * 1.05 * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(coarse.sweeps, exact.sweeps);
  }
}

}  // namespace
}  // namespace pipegraph
