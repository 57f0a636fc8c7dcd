#include "core/planners/search/knapsack.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace pipegraph {
namespace {

using Layers = std::vector<std::vector<KnapsackChoice>>;

double by_enumeration(const Layers& layers, double memory) {
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t mask = 0; mask < 1U << layers.size(); ++mask) {
    double cost = 0.0;
    double used = 0.0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const KnapsackChoice& choice = layers[i][(mask >> i & 1U) % layers[i].size()];
      cost += choice.cost;
      used += choice.memory;
    }
    if (used <= memory) best = std::min(best, cost);
  }
  return best;
}

TEST(Knapsack, ExactEqualsEnumerationAndGreedyIsNeverBetter) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> pick(0, 5);
  int worse = 0;
  for (int round = 0; round < 2000; ++round) {
    Layers layers;
    const int count = 1 + pick(random) + pick(random);
    for (int i = 0; i < count; ++i) {
      layers.push_back({{1.0 + pick(random), 4.0 + pick(random)}});
      if (pick(random) > 1) layers.back().push_back({2.0 + 1.3 * pick(random), 1.0 + pick(random)});
    }
    const double memory = 4.0 * count + pick(random) - 2.0;

    const auto exact = solve_knapsack(layers, memory, KnapsackMethod::Exact);
    const auto greedy = solve_knapsack(layers, memory, KnapsackMethod::Greedy);

    const double best = by_enumeration(layers, memory);
    ASSERT_EQ(exact.has_value(), best < 1e300) << round;
    ASSERT_EQ(greedy.has_value(), exact.has_value()) << round;
    if (!exact) continue;
    EXPECT_TRUE(exact->exact);
    EXPECT_NEAR(exact->cost, best, 1e-9) << round;
    EXPECT_GE(greedy->cost, exact->cost - 1e-9);
    if (greedy->cost > exact->cost + 1e-9) ++worse;
  }
  EXPECT_GT(worse, 0);
}

TEST(Knapsack, TakesTheCheapestOfManyEqualGainsAtOnce) {
  Layers layers;
  for (int i = 0; i < 60; ++i) layers.push_back({{1.0, 10.0}, {1.5 + 0.001 * i, 3.0}});
  // 600 used, 7 saved each: to fit 400, 29 exchanges; the cheapest add 0.5, 0.501, ... 0.528.
  const auto answer = solve_knapsack(layers, 400.0, KnapsackMethod::Exact);
  EXPECT_TRUE(answer->exact);
  EXPECT_NEAR(answer->cost, 60.0 + 29 * 0.5 + 0.001 * (28 * 29 / 2), 1e-9);
}

}  // namespace
}  // namespace pipegraph
