// Against every sequence of nested ideals, every grouping into machines and every replication: the
// class of chains that PipeDream's planner claims to search.
#include "core/planners/search/chain_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/planners/search/exhaustive.h"
#include "tests/core/planners/search/random_problem.h"
#include "tests/support/problem_seeds.h"

namespace pipegraph {
namespace {

ChainProblem random_chain(std::uint64_t seed, int most_blocks) {
  std::mt19937_64 random(seed * 7919);
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  ChainProblem problem;
  RandomProblem base = random_problem(seed, most_blocks, 6);
  problem.levels = {{pick(1, 4), 2.0}};
  if (pick(0, 1) == 0) problem.levels = {{pick(1, 3), 4.0}, {pick(1, 3), 1.5}};
  problem.sync = static_cast<SyncRule>(pick(0, 2));
  problem.exactly = pick(0, 2) == 0;
  problem.base = base.problem;
  for (std::size_t b = 0; b < base.problem.blocks(); ++b)
    problem.parameters.push_back(std::uniform_real_distribution<double>(0.0, 3.0)(random));
  problem.base.devices = problem.devices();
  problem.base.in_flight = InFlightRule::Position;
  // One row per share, as long as a stage may have that many replicas.
  problem.costs = base.costs;
  problem.most_replicas = base.costs.max_devices;
  return problem;
}

/// The formulas once more, from sets of blocks.
class Formulas {
 public:
  explicit Formulas(const ChainProblem& problem) : problem_(problem) {}

  double compute(const std::vector<Digraph::Node>& blocks, int replicas) const {
    const bool linear = problem_.sync != SyncRule::Ring;
    const std::size_t row =
        linear ? 0 : problem_.costs.row_of_devices[static_cast<std::size_t>(replicas)];
    double sum = 0.0;
    for (const Digraph::Node b : blocks)
      sum += problem_.costs.time[row][static_cast<std::size_t>(b)];
    return sum / problem_.costs.micro_batch / (linear ? replicas : 1);
  }
  double parameters(const std::vector<Digraph::Node>& blocks) const {
    double sum = 0.0;
    for (const Digraph::Node b : blocks) sum += problem_.parameters[static_cast<std::size_t>(b)];
    return sum;
  }
  /// `time` of `workers` at a level, each used by `outer` machines, with their synchronisation.
  double synchronised(double time, double bytes, int workers, double bandwidth, int outer) const {
    const double m = workers;
    const double b = problem_.costs.micro_batch;
    if (problem_.sync == SyncRule::Ring)
      return time + 2.0 * (m - 1) / m * bytes / bandwidth / problem_.base.mini_batch;
    if (problem_.sync == SyncRule::Sum)
      return time + 4.0 * (m - 1) * bytes / (bandwidth * m) / m / outer / b;
    return std::max(time, 2.0 * (m - 1) * bytes / bandwidth / m / outer / b);
  }
  /// Bytes that cross from outside `below` into it, per sample.
  double cut(const NodeSet& below) const {
    double bytes = 0.0;
    for (const SearchTensor& tensor : problem_.base.tensors)
      if (problem_.sync == SyncRule::Sum ? counted(tensor.producer, below) : crosses(tensor, below))
        bytes += tensor.crossings * tensor.bytes;
    return bytes;
  }

 private:
  static bool crosses(const SearchTensor& tensor, const NodeSet& below) {
    return !below.contains(tensor.producer) &&
           std::ranges::any_of(tensor.consumers, [&](auto c) { return below.contains(c); });
  }
  bool reaches(Digraph::Node from, Digraph::Node to) const {
    return std::ranges::any_of(problem_.base.graph.successors(from),
                               [&](auto next) { return next == to || reaches(next, to); });
  }
  bool is_last(Digraph::Node block, const NodeSet& below) const {
    return !below.contains(block) &&
           std::ranges::all_of(problem_.base.graph.successors(block),
                               [&](auto next) { return below.contains(next); });
  }
  /// PipeDream's count: the last blocks outside, and what is before such a block and read by
  /// another that is not before it.
  bool counted(Digraph::Node node, const NodeSet& below) const {
    if (is_last(node, below)) return true;
    for (Digraph::Node last = 0; last < static_cast<Digraph::Node>(problem_.base.blocks()); ++last)
      if (is_last(last, below) && reaches(node, last) &&
          std::ranges::any_of(problem_.base.graph.successors(node), [&](auto reader) {
            return reader != last && !reaches(reader, last);
          }))
        return true;
    return false;
  }

  const ChainProblem& problem_;
};

class EveryGrouping {
 public:
  EveryGrouping(const ChainProblem& problem, const SearchPlan& partition)
      : problem_(problem), formulas_(problem), stages_(partition.stages) {
    NodeSet below(problem.base.blocks());
    below_.push_back(below);
    for (const SearchStage& stage : stages_) {
      for (const Digraph::Node block : stage.blocks) below.insert(block);
      below_.push_back(below);
    }
  }

  double best() {
    segment(0, 0, 0.0);
    return best_;
  }

 private:
  void segment(std::size_t first, int machines, double so_far) {
    if (first == stages_.size()) {
      if (!problem_.exactly || machines == problem_.machines()) best_ = std::min(best_, so_far);
      return;
    }
    for (int q = 1; machines + q <= problem_.machines(); ++q)
      for (std::size_t last = first; last < stages_.size(); ++last) {
        std::vector<int> replicas;
        replicate({first, last, q}, replicas, machines, so_far);
      }
  }

  struct Span {
    std::size_t first, last;
    int q;
  };

  void replicate(const Span& span, std::vector<int>& replicas, int machines, double so_far) {
    const std::size_t count = span.last - span.first + 1;
    int used = 0;
    for (const int r : replicas) used += r;
    if (replicas.size() == count) {
      if (problem_.exactly && used != problem_.per_machine()) return;
      const double time = segment_cost(span, replicas);
      if (time < std::numeric_limits<double>::infinity())
        segment(span.last + 1, machines + span.q, std::max(so_far, time));
      return;
    }
    for (int r = 1; used + r <= problem_.per_machine(); ++r) {
      replicas.push_back(r);
      replicate(span, replicas, machines, so_far);
      replicas.pop_back();
    }
  }

  double segment_cost(const Span& span, const std::vector<int>& replicas) const {
    const double no = std::numeric_limits<double>::infinity();
    const ChainLevel& outer = problem_.levels.back();
    const bool ring = problem_.sync == SyncRule::Ring;
    std::vector<Digraph::Node> all;
    double inside = 0.0;
    for (std::size_t i = span.first; i <= span.last; ++i) {
      const std::vector<Digraph::Node>& blocks = stages_[i].blocks;
      const int r = replicas[i - span.first];
      if (r * span.q > problem_.most_replicas ||
          memory_needed(problem_.base, problem_.costs, blocks, r * span.q,
                        static_cast<int>(i) + 1) > problem_.base.memory)
        return no;
      double time = formulas_.compute(blocks, r * span.q);
      if (problem_.levels.size() > 1) {
        const double bandwidth = problem_.levels.front().bandwidth;
        time = formulas_.synchronised(time, formulas_.parameters(blocks), r, bandwidth, span.q);
        const double in = i == span.last ? 0.0 : formulas_.cut(below_[i + 1]);
        const double out = formulas_.cut(below_[i]);
        if (span.first != span.last && (ring || i != span.last))
          time = std::max(time, std::max(in, out) / (bandwidth * r * span.q));
      }
      inside = std::max(inside, time);
      all.insert(all.end(), blocks.begin(), blocks.end());
    }
    const bool first_of_chain = span.last + 1 == stages_.size();
    const bool shared = problem_.sync == SyncRule::Sum && first_of_chain;
    double time = formulas_.synchronised(inside, formulas_.parameters(all), span.q, outer.bandwidth,
                                         shared ? problem_.per_machine() : 1);
    if (ring || !first_of_chain)
      time = std::max(
          time, std::max(formulas_.cut(below_[span.last + 1]), formulas_.cut(below_[span.first])) /
                    (outer.bandwidth * span.q));
    return time;
  }

  const ChainProblem& problem_;
  Formulas formulas_;
  const std::vector<SearchStage>& stages_;
  std::vector<NodeSet> below_;
  double best_ = std::numeric_limits<double>::infinity();
};

TEST(ChainSearch, EqualsTheBestOfAllChainsMachinesAndReplicas) {
  int feasible = 0;
  for (const std::uint64_t seed : test::problem_seeds(1000)) {
    const ChainProblem problem = random_chain(seed, 6);
    const IdealFamily family = *all_ideals(problem.base.graph, 1 << 12);
    const PairTable pairs(problem.base, family);

    const ChainOutcome found = ChainSearch(problem, pairs).run();

    double best = std::numeric_limits<double>::infinity();
    for_each_partition(problem.base.graph, static_cast<std::size_t>(problem.devices()),
                       [&](const SearchPlan& partition) {
                         best = std::min(best, EveryGrouping(problem, partition).best());
                       });
    ASSERT_EQ(found.plan.has_value(), best < 1e300) << "seed " << seed;
    EXPECT_TRUE(found.exact);
    if (!found.plan) continue;
    ++feasible;
    EXPECT_NEAR(found.plan->max_time_per_sample, best, 2e-9 * best) << "seed " << seed;
  }
  EXPECT_GT(feasible, 500);
}

TEST(ChainSearch, OnOneLevelNeverWorsensWithMoreDevicesOrMemory) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ChainProblem problem = random_chain(seed, 8);
    problem.exactly = false;
    problem.levels = {{3, 2.0}};
    problem.base.devices = 4;
    const IdealFamily family = *all_ideals(problem.base.graph, 1 << 12);
    const auto value = [&] {
      const PairTable pairs(problem.base, family);
      const auto plan = ChainSearch(problem, pairs).run().plan;
      return plan ? plan->max_time_per_sample : 1e300;
    };
    const double before = value();
    problem.levels.front().workers = 4;
    const double with_device = value();
    problem.base.memory *= 1.5;
    EXPECT_LE(with_device, before * (1 + 2e-9)) << "seed " << seed;
    EXPECT_LE(value(), with_device * (1 + 2e-9)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pipegraph
