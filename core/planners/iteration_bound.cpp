#include "core/planners/iteration_bound.h"

#include <algorithm>
#include <limits>
#include <set>

namespace pipegraph {
namespace {

constexpr std::size_t k_most_lookups = 2'000'000;

/// Of one operator, forward and backward.
struct LeastCost {
  double per_sample = std::numeric_limits<double>::infinity();
  double once = std::numeric_limits<double>::infinity();
};

LeastCost least_cost(const Workload& workload, const SearchInput& input, OperatorId op) {
  LeastCost least;
  for (std::int32_t share = 1; share <= workload.training.mini_batch; ++share) {
    const double seconds = (workload.costs->time(op, Pass::Forward, share, input.rate) +
                            workload.costs->time(op, Pass::Backward, share, input.rate))
                               .count();
    least.per_sample = std::min(least.per_sample, seconds / share);
    least.once = std::min(least.once, seconds);
  }
  return least;
}

}  // namespace

std::optional<Seconds> iteration_lower_bound(const Workload& workload, const SearchInput& input) {
  const ComputationGraph& graph = *workload.graph;
  const std::set<std::uint32_t> classes(input.cost_class.begin(), input.cost_class.end());
  const auto mini_batch = static_cast<std::size_t>(workload.training.mini_batch);
  if (!workload.topology->homogeneous() || classes.size() * mini_batch > k_most_lookups)
    return std::nullopt;
  std::vector<std::optional<LeastCost>> by_class(graph.size());
  std::vector<double> until(graph.size(), 0.0);
  double work = 0.0;
  double path = 0.0;
  const auto order = topological_order(graph.edges());
  for (const Digraph::Node node : *order) {
    const auto op = static_cast<std::size_t>(node);
    std::optional<LeastCost>& cost = by_class[input.cost_class[op]];
    if (!cost) cost = least_cost(workload, input, make_id<OperatorId>(op));
    work += cost->per_sample * workload.training.mini_batch;
    for (const Digraph::Node before : graph.edges().predecessors(node))
      until[op] = std::max(until[op], until[static_cast<std::size_t>(before)]);
    until[op] += cost->once;
    path = std::max(path, until[op]);
  }
  return Seconds{std::max(work / static_cast<double>(workload.topology->size()), path)};
}

}  // namespace pipegraph
