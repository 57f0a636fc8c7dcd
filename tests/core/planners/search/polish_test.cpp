#include "core/planners/search/polish.h"

#include <gtest/gtest.h>

#include "core/planners/search/family.h"
#include "tests/core/planners/search/random_problem.h"

namespace pipegraph {
namespace {

struct Polishing {
  int improved = 0;
  int reached_optimum = 0;
  int fell_short = 0;
};

void polish_one(const RandomProblem& random, Polishing& tally) {
  const IdealFamily order = prefixes(random.problem.graph, lean_order(random.problem));
  const PairTable pairs(random.problem, order);
  Prober prober(random.problem, pairs, random.costs);
  const auto start = least_bottleneck(random.problem, random.costs, prober).plan;
  if (!start) return;

  const SearchPlan plan = polish(random.problem, random.costs, *start).plan;

  EXPECT_LE(plan.max_time_per_sample, start->max_time_per_sample);
  EXPECT_LE(plan.devices(), random.problem.devices);
  for (const SearchStage& stage : plan.stages)
    EXPECT_LE(
        memory_needed(random.problem, random.costs, stage.blocks, stage.devices, stage.height),
        random.problem.memory * (1 + 1e-9));
  const IdealFamily all = *all_ideals(random.problem.graph, 1 << 12);
  const PairTable all_pairs(random.problem, all);
  Prober exact(random.problem, all_pairs, random.costs);
  const double best =
      least_bottleneck(random.problem, random.costs, exact).plan->max_time_per_sample;
  if (plan.max_time_per_sample < start->max_time_per_sample * (1 - 1e-9)) ++tally.improved;
  ++(plan.max_time_per_sample <= best * (1 + 2e-9) ? tally.reached_optimum : tally.fell_short);
}

TEST(Polish, NeverWorsensAndMostlyReachesTheOptimumFromOneOrder) {
  Polishing tally;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) polish_one(random_problem(seed, 9, 6), tally);
  EXPECT_GT(tally.improved, 0);
  EXPECT_GT(tally.reached_optimum, 20 * tally.fell_short);
}

}  // namespace
}  // namespace pipegraph
