// Against every sequence of nested downsets, every degree and number of replicas: the class of
// plans that Piper claims to search.
#include "core/planners/search/downset_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/planners/search/exhaustive.h"
#include "tests/core/planners/search/random_layers.h"
#include "tests/support/problem_seeds.h"

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
    int in_flight = 0;
    double bottleneck = 0.0;
    int replicas = 0;  ///< of the last stage
  };

  void descend(std::size_t stage, int devices, SoFar so_far) {
    if (so_far.bottleneck >= best_) return;
    if (stage == stages_.size()) {
      best_ = so_far.bottleneck;
      return;
    }
    for (const int t : {1, 2})
      for (const int d : counts_) {
        if (devices + t * d > problem_.devices) continue;
        const bool by_replicas = problem_.in_flight == LayerInFlight::Replicas;
        if (by_replicas && so_far.in_flight + d > problem_.micro_batches) continue;
        const int in_flight = in_flight_before(problem_, d, so_far.in_flight, so_far.replicas);
        const auto priced =
            price_stage(problem_, stages_[stage].blocks, {t, d, (in_flight + d - 1) / d});
        if (priced)
          descend(stage + 1, devices + t * d,
                  {in_flight, std::max(so_far.bottleneck, priced->time), d});
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
  for (const std::uint64_t seed : test::problem_seeds(1000)) {
    LayerProblem problem = random_layers(seed, 6, 5);
    if (seed % 2 == 0) problem.in_flight = LayerInFlight::Schedule;
    const IdealFamily family = *all_ideals(problem.graph, 1 << 12);

    const DownsetPairs pairs(problem.graph, family);
    const DownsetOutcome found = DownsetSearch(problem, pairs).run();

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
      const DownsetPairs pairs(problem.graph, family);
      const auto plan = DownsetSearch(problem, pairs).run().plan;
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
  const DownsetPairs pairs(problem.graph, family);
  std::size_t questions = 0;
  const auto stop_after = [&](std::size_t most) {
    questions = 0;
    return DownsetSearch(problem, pairs).run([&, most](std::size_t) { return ++questions > most; });
  };
  const DownsetOutcome whole = stop_after(1'000'000);
  const std::size_t all = questions;
  ASSERT_FALSE(whole.truncated);
  double before = std::numeric_limits<double>::infinity();
  int improvements = 0;
  for (std::size_t most = 0; most < all; ++most) {
    const DownsetOutcome found = stop_after(most);
    EXPECT_TRUE(found.truncated);
    EXPECT_FALSE(found.exact);
    if (!found.plan) continue;
    if (found.plan->bottleneck < before) ++improvements;
    EXPECT_LE(found.plan->bottleneck, before);
    EXPECT_GE(found.plan->bottleneck, whole.plan->bottleneck);
    before = found.plan->bottleneck;
  }
  EXPECT_GE(improvements, 1);
  EXPECT_EQ(before, whole.plan->bottleneck);  // the last question belongs to the proof
}

/// A fork, identical branches of random length, a join.
LayerProblem identical_branches(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  const int length = pick(1, 2);
  const int branches = length == 1 ? pick(2, 4) : pick(2, 3);
  std::vector<Digraph::Edge> edges;
  const Digraph::Node join = branches * length + 1;
  for (int branch = 0; branch < branches; ++branch)
    for (int i = 0; i <= length; ++i) {
      const Digraph::Node at = 1 + branch * length + i;
      edges.push_back({i == 0 ? 0 : at - 1, i == length ? join : at});
    }
  LayerProblem problem = random_layers(seed, 2, 5);
  problem.graph = Digraph(static_cast<std::size_t>(join) + 1, edges);
  problem.layers.clear();
  problem.saved_input.clear();
  for (Digraph::Node node = 0; node <= join; ++node) {
    const int like = node == 0 || node == join ? node : 1 + (node - 1) % length;
    std::mt19937_64 costs(seed * 1000 + static_cast<std::uint64_t>(like));
    LayerWay way = random_way(costs, problem.graph, node);
    way.in.assign(way.in.size(), 0.5);
    way.out.assign(way.out.size(), 0.5);
    problem.layers.push_back({{1, {way}}});
    problem.saved_input.push_back(0.25);
  }
  return problem;
}

TEST(DownsetSearch, LosesNothingByExchangingIdenticalBranches) {
  std::size_t pairs_saved = 0;
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const LayerProblem problem = identical_branches(seed);
    const IdealFamily family = *all_ideals(problem.graph, 1 << 12);
    std::vector<std::uint64_t> signature;
    for (const auto& layer : problem.layers)
      signature.push_back(static_cast<std::uint64_t>(layer[0].ways[0].time * 1e9));
    const DownsetPairs all(problem.graph, family);
    const DownsetPairs some(problem.graph, family, signature);
    ASSERT_LT(some.size(), all.size());
    pairs_saved += all.size() - some.size();

    const DownsetOutcome expected = DownsetSearch(problem, all).run();
    const DownsetOutcome found = DownsetSearch(problem, some).run();

    ASSERT_EQ(found.plan.has_value(), expected.plan.has_value()) << "seed " << seed;
    if (!found.plan) continue;
    EXPECT_NEAR(found.plan->bottleneck, expected.plan->bottleneck, 2e-9 * expected.plan->bottleneck)
        << "seed " << seed;
    if (found.plan->stages.size() > 2) ++several;
    NodeSet planned(problem.layers.size());  // stages are differences of nested ideals
    for (const LayerStage& stage : found.plan->stages) {
      for (const Digraph::Node layer : stage.layers) {
        EXPECT_FALSE(planned.contains(layer));
        planned.insert(layer);
      }
      EXPECT_TRUE(is_ideal(problem.graph, planned));
    }
    EXPECT_EQ(planned.count(), problem.layers.size());
  }
  EXPECT_GT(pairs_saved, 0U);
  EXPECT_GT(several, 50);
}

}  // namespace
}  // namespace pipegraph
