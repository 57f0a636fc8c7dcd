// GraphPipe's recursion against every plan that its rules can build, listed one by one.
#include "core/planners/search/recursion.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/planners/search/family.h"
#include "core/planners/search/optimise.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

using Kind = SeriesParallelTree::Kind;
using Blocks = std::vector<Digraph::Node>;
using Partition = std::vector<Blocks>;  ///< stages from the sinks up
using Partitions = std::set<Partition>;

/// The rules, read as a grammar of partitions.
class Rules {
 public:
  explicit Rules(Joins joins) : joins_(joins) {}

  Partitions of(const SeriesParallelTree& tree) const { return series(parts(tree)); }

 private:
  using Parts = std::vector<SeriesParallelTree>;

  static Parts parts(const SeriesParallelTree& tree) {
    if (tree.kind == Kind::Series) return tree.children;
    if (tree.kind == Kind::Empty) return {};
    return {tree};
  }
  static SeriesParallelTree whole(const Parts& children) {
    if (children.empty()) return {Kind::Empty, -1, {}};
    if (children.size() == 1) return children.front();
    return {Kind::Series, -1, children};
  }
  static Blocks blocks(const Parts& children) {
    Blocks result;
    for (const SeriesParallelTree& child : children) {
      const Blocks nodes = child.nodes();
      result.insert(result.end(), nodes.begin(), nodes.end());
    }
    std::ranges::sort(result);
    return result;
  }
  static Parts slice(const Parts& children, std::size_t first, std::size_t last) {
    return {children.begin() + static_cast<std::ptrdiff_t>(first),
            children.begin() + static_cast<std::ptrdiff_t>(last)};
  }
  static Partitions joined(const Partitions& below, const Partitions& above) {
    Partitions result;
    for (const Partition& a : below)
      for (const Partition& b : above) {
        Partition both = a;
        both.insert(both.end(), b.begin(), b.end());
        result.insert(both);
      }
    return result;
  }
  static Partitions one_stage(const Blocks& blocks) {
    return blocks.empty() ? Partitions{{}} : Partitions{{blocks}};
  }

  Partitions series(const Parts& children) const {
    Partitions result = one_stage(blocks(children));
    if (children.size() == 1 && children.front().kind == Kind::Parallel)
      result.merge(parallel(children.front().children));
    for (std::size_t cut = 1; cut < children.size(); ++cut)
      result.merge(
          joined(series(slice(children, cut, children.size())), series(slice(children, 0, cut))));
    if (joins_ == Joins::WithBranch) result.merge(shared_stages(children));
    return result;
  }

  /// A stage of the end of a branch and what follows, or of what precedes and its beginning.
  Partitions shared_stages(const Parts& children) const {
    Partitions result;
    for (std::size_t at = 0; at < children.size(); ++at) {
      if (children[at].kind != Kind::Parallel) continue;
      const Parts& branches = children[at].children;
      for (std::size_t b = 0; b < branches.size(); ++b) {
        const Parts branch = parts(branches[b]);
        for (std::size_t cut = 0; cut < branch.size(); ++cut)
          for (std::size_t end = at + 2; end <= children.size(); ++end) {
            Parts stage = slice(branch, cut, branch.size());
            const Parts follows = slice(children, at + 1, end);
            stage.insert(stage.end(), follows.begin(), follows.end());
            result.merge(joined(
                joined(series(slice(children, end, children.size())), one_stage(blocks(stage))),
                joined(with_branch(branches, b, slice(branch, 0, cut)),
                       series(slice(children, 0, at)))));
          }
        for (std::size_t cut = 1; cut <= branch.size(); ++cut)
          for (std::size_t begin = 0; begin < at; ++begin) {
            Parts stage = slice(children, begin, at);
            const Parts starts = slice(branch, 0, cut);
            stage.insert(stage.end(), starts.begin(), starts.end());
            result.merge(
                joined(joined(series(slice(children, at + 1, children.size())),
                              with_branch(branches, b, slice(branch, cut, branch.size()))),
                       joined(one_stage(blocks(stage)), series(slice(children, 0, begin)))));
          }
      }
    }
    return result;
  }

  /// Branches side by side, of which one is cut and belongs to no group.
  Partitions with_branch(Parts branches, std::size_t cut, const Parts& rest) const {
    const Partitions before = groups(slice(branches, 0, cut));
    const Partitions after = groups(slice(branches, cut + 1, branches.size()));
    return joined(before, joined(series(rest), after));
  }
  Partitions groups(const Parts& branches) const {
    return branches.empty() ? Partitions{{}} : parallel(branches);
  }
  Partitions parallel(const Parts& branches) const {
    if (branches.size() == 1) return series(parts(branches.front()));
    Partitions result = one_stage(blocks(branches));
    for (std::size_t cut = 1; cut < branches.size(); ++cut)
      result.merge(joined(parallel(slice(branches, 0, cut)),
                          parallel(slice(branches, cut, branches.size()))));
    return result;
  }

  Joins joins_;
};

/// Every count of devices for every stage, by the rules for any plan.
class EveryCount {
 public:
  EveryCount(const RandomProblem& random, const std::vector<int>& counts)
      : problem_(random.problem), costs_(random.costs), counts_(counts) {}

  double best(const Partition& partition) {
    SearchPlan plan;
    for (const Blocks& blocks : partition) plan.stages.push_back({blocks, 1, 1, 0.0});
    plan_ = plan;
    settle(problem_, costs_, plan_);
    best_ = std::numeric_limits<double>::infinity();
    descend(0, problem_.devices, 0.0);
    return best_;
  }

 private:
  void descend(std::size_t stage, int left, double so_far) {
    if (stage == plan_.stages.size()) {
      best_ = std::min(best_, so_far);
      return;
    }
    const SearchStage& current = plan_.stages[stage];
    for (const int d : counts_)
      if (d <= std::min(left, costs_.max_devices) &&
          memory_needed(problem_, costs_, current.blocks, d, current.height) <= problem_.memory)
        descend(stage + 1, left - d,
                std::max(so_far, time_per_sample(problem_, costs_, current.blocks, d)));
  }

  const SearchProblem& problem_;
  const BatchCosts& costs_;
  const std::vector<int>& counts_;
  SearchPlan plan_;
  double best_ = 0.0;
};

class RecursionRules : public testing::TestWithParam<Joins> {};

TEST_P(RecursionRules, FindsTheBestPlanTheyCanBuild) {
  std::uint64_t problems = 0;
  int feasible = 0;
  int worse_than_all = 0;
  for (std::uint64_t seed = test::first_seed(); problems < test::problem_count(1000); ++seed) {
    const RandomProblem random = random_problem(seed * 31, 7, 6);
    const auto tree = decompose_series_parallel(random.problem.graph);
    if (!std::holds_alternative<SeriesParallelTree>(tree)) continue;
    ++problems;
    const std::vector<int> counts =
        seed % 2 == 0 ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2, 3, 4, 5, 6};
    double best = std::numeric_limits<double>::infinity();
    EveryCount every(random, counts);
    for (const Partition& partition : Rules(GetParam()).of(std::get<SeriesParallelTree>(tree)))
      best = std::min(best, every.best(partition));

    const RecursionOutcome found =
        search_by_recursion(random.problem, random.costs, std::get<SeriesParallelTree>(tree),
                            {.joins = GetParam(), .device_counts = counts});

    ASSERT_EQ(found.plan.has_value(), best < 1e300) << "seed " << seed;
    if (!found.plan) continue;
    ++feasible;
    EXPECT_LE(found.plan->max_time_per_sample, best * (1 + 2e-6)) << "seed " << seed;
    EXPECT_GE(found.plan->max_time_per_sample, best * (1 - 1e-9)) << "seed " << seed;

    const IdealFamily all = *all_ideals(random.problem.graph, 1 << 10);
    const PairTable pairs(random.problem, all);
    Prober prober(random.problem, pairs, random.costs);
    const auto least = least_bottleneck(random.problem, random.costs, prober).plan;
    ASSERT_TRUE(least.has_value());
    EXPECT_GE(best, least->max_time_per_sample * (1 - 2e-9)) << "seed " << seed;
    if (best > least->max_time_per_sample * (1 + 2e-6)) ++worse_than_all;
  }
  RecordProperty("feasible", feasible);
  RecordProperty("worse_than_the_full_search", worse_than_all);
  EXPECT_GT(feasible, 500);
  EXPECT_GT(worse_than_all, 0);
}

INSTANTIATE_TEST_SUITE_P(, RecursionRules, testing::Values(Joins::Own, Joins::WithBranch),
                         [](const auto& joins) {
                           return joins.param == Joins::Own ? "JoinsOnTheirOwn" : "JoinsWithBranch";
                         });

TEST(Recursion, IsNeverBetterThanAFamilyThatIsNotComplete) {
  int problems = 0;
  int worse = 0;
  for (std::uint64_t seed = 1; problems < 300; ++seed) {
    const RandomProblem random = random_problem(seed * 37, 24, 8);
    const std::size_t blocks = random.problem.blocks();
    const auto tree = decompose_series_parallel(random.problem.graph);
    if (blocks < 12 || !std::holds_alternative<SeriesParallelTree>(tree)) continue;
    ++problems;
    std::vector<std::uint64_t> signature;  // no two blocks alike
    for (std::size_t b = 0; b < blocks; ++b) signature.push_back(b * 0x9e3779b97f4a7c15ULL);
    const IdealFamily family = choose_family(random.problem, signature, {2, 3 * blocks});
    const PairTable pairs(random.problem, family);
    Prober prober(random.problem, pairs, random.costs);

    const auto over_ideals = least_bottleneck(random.problem, random.costs, prober).plan;
    const auto recursion =
        search_by_recursion(random.problem, random.costs, std::get<SeriesParallelTree>(tree),
                            {.joins = Joins::Own, .device_counts = {1, 2, 3, 4, 5, 6, 7, 8}});

    if (!recursion.plan) continue;
    ASSERT_TRUE(over_ideals.has_value()) << "seed " << seed;
    EXPECT_LE(over_ideals->max_time_per_sample, recursion.plan->max_time_per_sample * (1 + 2e-9))
        << "seed " << seed;
    if (recursion.plan->max_time_per_sample > over_ideals->max_time_per_sample * (1 + 2e-6))
      ++worse;
  }
  EXPECT_GT(worse, 30);
}

}  // namespace
}  // namespace pipegraph
