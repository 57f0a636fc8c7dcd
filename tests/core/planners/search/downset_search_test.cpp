// Against every sequence of nested downsets, every degree and number of replicas: the class of
// plans that Piper claims to search.
#include "core/planners/search/downset_search.h"

#include <gtest/gtest.h>

#include "core/planners/search/exhaustive.h"
#include "tests/core/planners/search/random_layers.h"

namespace pipegraph {
namespace {

/// Least bottleneck of one sequence of stages (from the sinks up), over all shapes.
class Shapes {
 public:
  Shapes(const LayerProblem& problem, const SearchPlan& partition)
      : problem_(problem), stages_(partition.stages), counts_(replica_counts(problem)) {}

  double best() {
    descend(0, 0, {0, 0.0});
    return best_;
  }

 private:
  struct SoFar {
    int replicas = 0;
    double bottleneck = 0.0;
  };

  void descend(std::size_t stage, int devices, SoFar so_far) {
    if (so_far.bottleneck >= best_) return;
    if (stage == stages_.size()) {
      best_ = so_far.bottleneck;
      return;
    }
    for (const int t : {1, 2})
      for (const int d : counts_) {
        const int replicas = so_far.replicas + d;
        if (devices + t * d > problem_.devices || replicas > problem_.micro_batches) continue;
        const auto priced =
            price_stage(problem_, stages_[stage].blocks, {t, d, (replicas + d - 1) / d});
        if (priced)
          descend(stage + 1, devices + t * d,
                  {replicas, std::max(so_far.bottleneck, priced->time)});
      }
  }

  const LayerProblem& problem_;
  const std::vector<SearchStage>& stages_;
  std::vector<int> counts_;
  double best_ = std::numeric_limits<double>::infinity();
};

double exhaustive_bottleneck(const LayerProblem& problem) {
  double best = std::numeric_limits<double>::infinity();
  for_each_partition(problem.graph, static_cast<std::size_t>(problem.devices),
                     [&](const SearchPlan& partition) {
                       best = std::min(best, Shapes(problem, partition).best());
                     });
  return best;
}

TEST(DownsetSearch, EqualsTheBestOfAllSequencesOfDownsetsDegreesAndReplicas) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const LayerProblem problem = random_layers(seed, 6, 5);
    const IdealFamily family = *all_ideals(problem.graph, 1 << 12);

    const DownsetOutcome found = DownsetSearch(problem, family).run();

    const double best = exhaustive_bottleneck(problem);
    ASSERT_EQ(found.plan.has_value(), best < 1e300) << "seed " << seed;
    EXPECT_TRUE(found.exact);
    if (!found.plan) continue;
    ++feasible;
    // A greedy knapsack may do better with more in flight than there need be: see below.
    EXPECT_NEAR(found.plan->bottleneck, best, 2e-9 * best) << "seed " << seed;
    EXPECT_LE(found.plan->devices(), problem.devices);
  }
  EXPECT_GT(feasible, 500);
}

TEST(DownsetSearch, NeverWorsensWithMoreDevicesOrMemory) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    LayerProblem problem = random_layers(seed, 8, 4);
    problem.knapsack = KnapsackMethod::Exact;
    const IdealFamily family = *all_ideals(problem.graph, 1 << 12);
    const auto value = [&] {
      const auto plan = DownsetSearch(problem, family).run().plan;
      return plan ? plan->bottleneck : 1e300;
    };
    const double before = value();
    ++problem.devices;
    const double with_device = value();
    problem.memory *= 1.5;
    EXPECT_LE(with_device, before * (1 + 2e-9)) << "seed " << seed;
    EXPECT_LE(value(), with_device * (1 + 2e-9)) << "seed " << seed;
  }
}

TEST(DownsetSearch, StopsInTimeWithTheBestPlanSoFar) {
  LayerProblem problem = random_layers(7, 8, 4);
  problem.memory = 1e9;
  problem.devices = 4;
  const IdealFamily family = *all_ideals(problem.graph, 1 << 12);
  DownsetSearch search(problem, family);
  const std::size_t asked_per_probe = family.ideals.size() - 1;
  std::size_t asked = 0;

  const DownsetOutcome found = search.run([&] { return ++asked > asked_per_probe; });

  EXPECT_TRUE(found.truncated);
  EXPECT_FALSE(found.exact);
  EXPECT_TRUE(found.plan.has_value());
}

}  // namespace
}  // namespace pipegraph
