#include "core/planners/search/chain_problem.h"

#include <algorithm>
#include <cmath>

namespace pipegraph {
namespace {

/// What crosses into an ideal, every tensor once.
double live_bytes(const SearchProblem& problem, const PairTable& pairs, std::int32_t ideal) {
  double bytes = 0.0;
  for (const LiveTensor& live : pairs.live(ideal)) {
    const SearchTensor& tensor = problem.tensors[static_cast<std::size_t>(live.tensor)];
    bytes += tensor.crossings * tensor.bytes;
  }
  return bytes;
}

/// What crosses into an ideal as PipeDream's program counts it: the outputs of the last blocks
/// outside (an antichain), and of every block before one of them that some block reads which is
/// neither that one nor before it. Of a cut through two branches it so counts the fork as well.
class ProgramCut {
 public:
  explicit ProgramCut(const SearchProblem& problem)
      : graph_(problem.graph), bytes_(problem.blocks(), 0.0) {
    for (const SearchTensor& tensor : problem.tensors)
      bytes_[static_cast<std::size_t>(tensor.producer)] += tensor.crossings * tensor.bytes;
    before_.assign(problem.blocks(), NodeSet(problem.blocks()));
    const auto order = topological_order(graph_);
    for (const Digraph::Node node : *order)
      for (const Digraph::Node from : graph_.predecessors(node)) {
        NodeSet& set = before_[static_cast<std::size_t>(node)];
        set.insert(from);
        set |= before_[static_cast<std::size_t>(from)];
      }
  }

  double bytes(const NodeSet& ideal) const {
    NodeSet counted(bytes_.size());
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const auto node = static_cast<Digraph::Node>(i);
      const bool last = !ideal.contains(node) &&
                        std::ranges::all_of(graph_.successors(node),
                                            [&](auto next) { return ideal.contains(next); });
      if (last) count(node, counted);
    }
    double sum = 0.0;
    for (const Digraph::Node node : counted.nodes()) sum += bytes_[static_cast<std::size_t>(node)];
    return sum;
  }

 private:
  void count(Digraph::Node last, NodeSet& counted) const {
    const NodeSet& before = before_[static_cast<std::size_t>(last)];
    counted.insert(last);
    for (const Digraph::Node node : before.nodes())
      for (const Digraph::Node reader : graph_.successors(node))
        if (reader != last && !before.contains(reader)) counted.insert(node);
  }

  const Digraph& graph_;
  std::vector<double> bytes_;    ///< that a block sends
  std::vector<NodeSet> before_;  ///< its ancestors
};

}  // namespace

int ChainProblem::devices() const {
  int product = 1;
  for (const ChainLevel& level : levels) product *= level.workers;
  return product;
}

ChainCosts::ChainCosts(const ChainProblem& problem, const PairTable& pairs)
    : problem_(problem), pairs_(pairs) {
  const BatchCosts& costs = problem.costs;
  const bool linear = problem.sync != SyncRule::Ring;
  most_replicas_ = std::min(problem.devices(), problem.most_replicas);
  if (!linear) most_replicas_ = std::min(most_replicas_, costs.max_devices);
  work_ = pairs.sums(linear ? costs.time.front() : least_device_seconds(costs, most_replicas_));
  for (double& work : work_) work /= costs.micro_batch;
  for (const std::vector<double>& row : costs.time) time_.push_back(pairs.sums(row));
  std::vector<double> least = costs.time.front();
  for (const std::vector<double>& row : costs.time)
    for (std::size_t block = 0; block < least.size(); ++block)
      least[block] = std::min(least[block], row[block]);
  least_compute_ = pairs.sums(least);
  for (double& seconds : least_compute_)
    seconds /= costs.micro_batch * (linear ? most_replicas_ : 1.0);
  parameters_ = pairs.sums(problem.parameters);
  const ProgramCut counter(problem.base);
  for (std::size_t i = 0; i < pairs.ideals(); ++i)
    cut_.push_back(problem.sync == SyncRule::Sum
                       ? counter.bytes(pairs.ideal(static_cast<std::int32_t>(i)))
                       : live_bytes(problem.base, pairs, static_cast<std::int32_t>(i)));
}

double ChainCosts::compute(const StagePair& pair, int replicas) const {
  const BatchCosts& costs = problem_.costs;
  const bool linear = problem_.sync != SyncRule::Ring;
  const std::size_t row = linear ? 0 : costs.row_of_devices[static_cast<std::size_t>(replicas)];
  const double seconds = time_[row][static_cast<std::size_t>(pair.outer)] -
                         time_[row][static_cast<std::size_t>(pair.inner)];
  return seconds / costs.micro_batch / (linear ? replicas : 1);
}

double ChainCosts::parameters(const StagePair& pair) const {
  return parameters_[static_cast<std::size_t>(pair.outer)] -
         parameters_[static_cast<std::size_t>(pair.inner)];
}

double ChainCosts::stage_time(const StagePair& pair, int r, int q) const {
  const double each = compute(pair, r * q);
  if (problem_.levels.size() < 2) return each;
  const double bytes = parameters(pair);
  const double bandwidth = problem_.levels.front().bandwidth;
  const double micro_batch = problem_.costs.micro_batch;
  switch (problem_.sync) {
    case SyncRule::Ring:
      return each + 2.0 * (r - 1) / r * bytes / bandwidth / problem_.base.mini_batch;
    case SyncRule::Sum:
      return each + 4.0 * (r - 1) * bytes / (bandwidth * r * r) / q / micro_batch;
    case SyncRule::Max:
      return std::max(each, 2.0 * (r - 1) * bytes / (bandwidth * r) / q / micro_batch);
  }
  return each;
}

double ChainCosts::segment_time(const StagePair& pair, double inside, int q) const {
  const double bytes = parameters(pair);
  const double bandwidth = problem_.levels.back().bandwidth;
  const double micro_batch = problem_.costs.micro_batch;
  switch (problem_.sync) {
    case SyncRule::Ring:
      return inside + 2.0 * (q - 1) / q * bytes / bandwidth / problem_.base.mini_batch;
    case SyncRule::Sum: {
      // The program divides by the machine's devices in the chain's first stage only.
      const bool first = static_cast<std::size_t>(pair.outer) + 1 == pairs_.ideals();
      const int shared = first ? problem_.per_machine() : 1;
      return inside + 4.0 * (q - 1) * bytes / (bandwidth * q * q) / shared / micro_batch;
    }
    case SyncRule::Max:
      return std::max(inside, 2.0 * (q - 1) * bytes / (bandwidth * q) / micro_batch);
  }
  return inside;
}

double ChainCosts::least_segment_time(const StagePair& pair, int q) const {
  if (problem_.levels.size() > 1) return 0.0;
  const double compute = least_compute_[static_cast<std::size_t>(pair.outer)] -
                         least_compute_[static_cast<std::size_t>(pair.inner)];
  // The other rules share what a micro-batch reduces: it grows smaller with more machines.
  const double with_sync =
      problem_.sync == SyncRule::Ring ? segment_time(pair, compute, q) : compute;
  return with_sync * (1.0 - 1e-9);
}

double ChainCosts::inner_transfer(const StagePair& pair, int r, int q) const {
  const double in = cut_[static_cast<std::size_t>(pair.outer)];
  const double out = cut_[static_cast<std::size_t>(pair.inner)];
  return std::max(in, out) / (problem_.levels.front().bandwidth * r * q);
}

double ChainCosts::first_output(std::int32_t ideal, int r, int q) const {
  if (problem_.sync != SyncRule::Ring) return 0.0;
  return cut_[static_cast<std::size_t>(ideal)] / (problem_.levels.front().bandwidth * r * q);
}

double ChainCosts::outer_transfer(const StagePair& pair, int q) const {
  const bool first = static_cast<std::size_t>(pair.outer) + 1 == pairs_.ideals();
  if (first && problem_.sync != SyncRule::Ring) return 0.0;
  const double in = cut_[static_cast<std::size_t>(pair.outer)];
  const double out = cut_[static_cast<std::size_t>(pair.inner)];
  return std::max(in, out) / (problem_.levels.back().bandwidth * q);
}

int ChainCosts::most_height(const StagePair& pair, int replicas) const {
  const SearchProblem& base = problem_.base;
  if (std::isinf(base.memory)) return k_any_height;
  const int batch = problem_.costs.micro_batch;
  const int batches = (base.mini_batch + batch - 1) / batch;
  const int share = (batch + replicas - 1) / replicas;  // the largest
  const double each = pair.saved * share;
  const double room = base.memory - pair.fixed;
  if (each * batches <= room) return k_any_height;
  if (room < each) return 0;
  return static_cast<int>(room / each);
}

}  // namespace pipegraph
