// Against every partition, every micro-batch size, k and number of devices of every stage.
#include "core/planners/search/mixed_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/planners/search/exhaustive.h"
#include "core/planners/search/ideals.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

/// The problem of `random` at its own size and at one or two others.
MixedProblem mixed_problem(const RandomProblem& random, std::uint64_t seed) {
  MixedProblem problem{random.problem, {}, seed % 3 == 0 ? std::vector<int>{1, 2} : std::vector{1}};
  for (const int size : {1, 2, 4}) {
    if (size > random.problem.mini_batch) continue;
    BatchCosts costs;
    costs.micro_batch = size;
    const int ragged = random.problem.mini_batch % size;
    costs.max_devices = std::min(random.problem.devices, ragged == 0 ? size : ragged);
    costs.row_of_devices.assign(static_cast<std::size_t>(random.problem.devices) + 1, 0);
    for (int d = 1; d <= costs.max_devices; ++d) {
      costs.share.push_back((size + d - 1) / d);
      costs.time.emplace_back();
      for (const double least : random.costs.time.back())
        costs.time.back().push_back(0.3 + least * costs.share.back());
      costs.row_of_devices[static_cast<std::size_t>(d)] =
          static_cast<std::uint16_t>(costs.share.size() - 1);
    }
    problem.sizes.push_back(costs);
  }
  return problem;
}

/// All ways to run the stages of one partition.
class EveryWay {
 public:
  EveryWay(const MixedProblem& problem, const SearchPlan& partition)
      : problem_(problem), stages_(partition.stages), ways_(stages_.size()) {}

  double best() {
    descend(0, problem_.base.devices, 0.0);
    return best_;
  }

 private:
  struct Way {
    int size = 1;
    int k = 1;
    int in_flight = 1;
  };

  bool feeds(const SearchStage& from, const SearchStage& to) const {
    for (const Digraph::Node a : from.blocks)
      for (const Digraph::Node next : problem_.base.graph.successors(a))
        if (std::ranges::find(to.blocks, next) != to.blocks.end()) return true;
    return false;
  }

  /// Sinks: k b. Others: the most over successors of their samples + the longer run, rounded up to
  /// b; for k = 1 and b > the successor's size: b (ceil(samples / b) + 1).
  int in_flight(std::size_t stage, int b, int k) const {
    int most = k * b;
    for (std::size_t j = 0; j < stage; ++j) {  // successors come first
      if (!feeds(stages_[stage], stages_[j])) continue;
      const Way& next = ways_[j];
      int needed = next.in_flight + std::max(k * b, next.k * next.size);
      needed = (needed + b - 1) / b * b;
      if (k == 1 && next.k == 1 && b > next.size) needed = b * ((next.in_flight + b - 1) / b + 1);
      most = std::max(most, needed);
    }
    return most;
  }

  void descend(std::size_t stage, int left, double so_far) {
    if (so_far >= best_) return;
    if (stage == stages_.size()) {
      best_ = so_far;
      return;
    }
    for (const BatchCosts& costs : problem_.sizes)
      for (const int k : problem_.ks)
        for (int d = 1; d <= std::min(left, costs.max_devices); ++d) {
          const int b = costs.micro_batch;
          ways_[stage] = {b, k, in_flight(stage, b, k)};
          const int kept = (ways_[stage].in_flight + b - 1) / b;
          if (memory_needed(problem_.base, costs, stages_[stage].blocks, d, kept) >
              problem_.base.memory)
            continue;
          const Way way = ways_[stage];
          descend(
              stage + 1, left - d,
              std::max(so_far, time_per_sample(problem_.base, costs, stages_[stage].blocks, d)));
          ways_[stage] = way;
        }
  }

  const MixedProblem& problem_;
  const std::vector<SearchStage>& stages_;
  std::vector<Way> ways_;
  double best_ = std::numeric_limits<double>::infinity();
};

TEST(MixedSearch, FindsTheBestOfAllPartitionsSizesAndRuns) {
  int feasible = 0;
  int mixed = 0;
  for (const std::uint64_t seed : test::problem_seeds(600)) {
    RandomProblem random = random_problem(seed + 70'000, 5, 4);
    random.problem.mini_batch = 4 + static_cast<int>(seed % 5);
    const MixedProblem problem = mixed_problem(random, seed);
    const IdealFamily family = *all_ideals(problem.base.graph, 1 << 10);
    const PairTable pairs(problem.base, family);
    double best = std::numeric_limits<double>::infinity();
    for_each_partition(problem.base.graph, static_cast<std::size_t>(problem.base.devices),
                       [&](const SearchPlan& partition) {
                         best = std::min(best, EveryWay(problem, partition).best());
                       });

    const MixedOutcome found = search_mixed(problem, pairs, 1'000'000);

    ASSERT_EQ(!found.stages.empty(), best < 1e300) << "seed " << seed;
    EXPECT_TRUE(found.exact);
    if (found.stages.empty()) continue;
    ++feasible;
    EXPECT_NEAR(found.max_time_per_sample, best, 2e-9 * best) << "seed " << seed;
    for (const MixedStage& stage : found.stages)
      if (stage.size != found.stages.front().size) {
        ++mixed;
        break;
      }
  }
  EXPECT_GT(feasible, 300);
  EXPECT_GT(mixed, 30);
}

TEST(MixedSearch, SaysWhenItKeepsTooFewLabelsToBeExact) {
  int inexact = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomProblem random = random_problem(seed + 80'000, 6, 5);
    random.problem.mini_batch = 8;
    const MixedProblem problem = mixed_problem(random, seed);
    const IdealFamily family = *all_ideals(problem.base.graph, 1 << 10);
    const PairTable pairs(problem.base, family);
    const MixedOutcome whole = search_mixed(problem, pairs, 1'000'000);
    const MixedOutcome few = search_mixed(problem, pairs, 1);
    if (few.exact) {
      EXPECT_EQ(few.stages.empty(), whole.stages.empty()) << "seed " << seed;
    } else {
      ++inexact;
    }
    if (few.stages.empty()) continue;
    EXPECT_GE(few.max_time_per_sample, whole.max_time_per_sample * (1 - 2e-9)) << "seed " << seed;
    EXPECT_LE(few.lower_bound, whole.max_time_per_sample * (1 + 2e-9)) << "seed " << seed;
  }
  EXPECT_GT(inexact, 0);
}

}  // namespace
}  // namespace pipegraph
