#include "tests/support/antichain_programme.h"

#include <algorithm>
#include <limits>

#include "tests/support/antichains.h"

namespace pipegraph::test {
namespace {

constexpr double k_none = std::numeric_limits<double>::infinity();

/// The best chain from one cut to another on so many workers.
struct Best {
  double value = k_none;
  int last_replicas = 0;
  int split = -1;  ///< antichain at which the last stage begins; -1: one stage
};

/// Sums over what lies before a cut, and their differences.
class Sums {
 public:
  Sums(const std::vector<Antichain>& cuts, const std::vector<double>& by_node) {
    for (const Antichain& cut : cuts) {
      double sum = 0.0;
      for (const Digraph::Node node : cut.before.nodes())
        sum += by_node[static_cast<std::size_t>(node)];
      sums_.push_back(sum);
    }
  }
  /// From behind antichain `first - 1` to `last`, whether or not the one is before the other.
  double between(int first, int last) const {
    return sums_[static_cast<std::size_t>(last)] -
           (first > 0 ? sums_[static_cast<std::size_t>(first - 1)] : 0.0);
  }

 private:
  std::vector<double> sums_;
};

class Recursion {
 public:
  Recursion(const AntichainProblem& problem, const std::vector<AntichainLevel>& levels)
      : cuts_(antichains(problem.graph)),
        count_(static_cast<int>(cuts_.size())),
        seconds_(cuts_, problem.seconds),
        parameters_(cuts_, problem.parameters),
        levels_(levels) {
    for (const Antichain& cut : cuts_) {
      double bytes = 0.0;
      for (const Digraph::Node node : cut.outputs)
        bytes += problem.output[static_cast<std::size_t>(node)];
      output_.push_back(bytes);
    }
    solve(0);
    solve(1);
  }

  AntichainPlan plan() const {
    AntichainPlan plan{best(1, 0, count_ - 1, levels_[1].workers).value, {}};
    NodeSet taken(cuts_.front().before.universe());
    for (const Part& machine : parts(1, {0, count_ - 1, levels_[1].workers}))
      for (const Part& part : parts(0, machine)) {
        NodeSet nodes = cuts_[static_cast<std::size_t>(part.last)].before;
        nodes -= taken;
        taken |= nodes;
        plan.stages.push_back({nodes.nodes(), part.replicas, machine.replicas,
                               part.first == machine.first,
                               seconds_.between(part.first, part.last)});
      }
    return plan;
  }

 private:
  /// From behind antichain `first - 1` to `last`.
  struct Part {
    int first = 0;
    int last = 0;
    int replicas = 1;
  };

  std::size_t index(int level, int first, int last, int workers) const {
    const auto n = static_cast<std::size_t>(count_);
    return (static_cast<std::size_t>(first) * n + static_cast<std::size_t>(last)) *
               static_cast<std::size_t>(levels_[static_cast<std::size_t>(level)].workers) +
           static_cast<std::size_t>(workers - 1);
  }
  const Best& best(int level, int first, int last, int workers) const {
    return table_[static_cast<std::size_t>(level)][index(level, first, last, workers)];
  }
  /// Seconds of a part on one worker of the level: of the outer one a machine's whole chain.
  double inside(int level, int first, int last) const {
    return level == 0 ? seconds_.between(first, last)
                      : best(0, first, last, levels_[0].workers).value;
  }
  double with_sync(int level, const Part& part, double shared) const {
    const double m = part.replicas;
    const double sync = 4.0 * (m - 1) * parameters_.between(part.first, part.last) /
                        (levels_[static_cast<std::size_t>(level)].bandwidth * m);
    return (inside(level, part.first, part.last) + sync / shared) / m;
  }
  double transfers(int level, int split, int last, int replicas) const {
    const double out = last < count_ - 1 ? output_[static_cast<std::size_t>(last)] : 0.0;
    return 2.0 * std::max(output_[static_cast<std::size_t>(split)], out) /
           (levels_[static_cast<std::size_t>(level)].bandwidth * replicas);
  }

  void solve(int level) {
    const int workers = levels_[static_cast<std::size_t>(level)].workers;
    const auto n = static_cast<std::size_t>(count_);
    auto& table = table_[static_cast<std::size_t>(level)];
    table.assign(n * n * static_cast<std::size_t>(workers), {});
    const double shared = level == 0 ? 1.0 : levels_[0].workers;
    const int firsts = level == 0 ? count_ : 1;
    for (int first = 0; first < firsts; ++first)
      for (int m = 1; m <= workers; ++m)
        for (int last = first; last < count_; ++last) {
          Best& entry = table[index(level, first, last, m)];
          if (inside(level, first, last) < k_none)
            entry = {with_sync(level, {first, last, m}, shared), m, -1};
          extend(level, {first, last, m}, entry);
        }
  }

  /// The last stage begins behind any antichain that leads to its end.
  void extend(int level, const Part& part, Best& entry) const {
    const auto& until_first = cuts_[static_cast<std::size_t>(std::max(part.first - 1, 0))];
    for (const std::size_t found : cuts_[static_cast<std::size_t>(part.last)].reached_from) {
      const int split = static_cast<int>(found);
      if (split < part.first) continue;
      if (part.first > 0 && std::ranges::binary_search(until_first.reached_from, found)) continue;
      for (int m = 1; m < part.replicas; ++m) {
        const Best& rest = best(level, part.first, split, part.replicas - m);
        if (rest.value == k_none || inside(level, split + 1, part.last) == k_none) continue;
        const double value = std::max({rest.value, with_sync(level, {split + 1, part.last, m}, 1.0),
                                       transfers(level, split, part.last, m)});
        if (value < entry.value) entry = {value, m, split};
      }
    }
  }

  /// The parts of a chain on all workers of the level, first to last.
  std::vector<Part> parts(int level, const Part& whole) const {
    std::vector<Part> found;
    int last = whole.last;
    int left = levels_[static_cast<std::size_t>(level)].workers;
    for (;;) {
      const Best& entry = best(level, whole.first, last, left);
      const int first = entry.split < 0 ? whole.first : entry.split + 1;
      found.push_back({first, last, entry.last_replicas});
      if (entry.split < 0) break;
      last = entry.split;
      left -= entry.last_replicas;
    }
    std::ranges::reverse(found);
    return found;
  }

  std::vector<Antichain> cuts_;
  int count_;
  Sums seconds_, parameters_;
  std::vector<double> output_;  ///< bytes across a cut
  const std::vector<AntichainLevel>& levels_;
  std::vector<Best> table_[2];  ///< by level
};

}  // namespace

AntichainPlan antichain_plan(const AntichainProblem& problem,
                             const std::vector<AntichainLevel>& levels) {
  return Recursion(problem, levels).plan();
}

}  // namespace pipegraph::test
