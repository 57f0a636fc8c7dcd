#include "core/planners/search/problem.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/graph/node_set.h"

namespace pipegraph {
namespace {

NodeSet as_set(std::size_t universe, const std::vector<Digraph::Node>& nodes) {
  NodeSet set(universe);
  for (const Digraph::Node node : nodes) set.insert(node);
  return set;
}

bool consumed_in(const SearchTensor& tensor, const NodeSet& blocks) {
  return std::ranges::any_of(tensor.consumers, [&](auto c) { return blocks.contains(c); });
}

bool consumed_outside(const SearchTensor& tensor, const NodeSet& blocks) {
  return std::ranges::any_of(tensor.consumers, [&](auto c) { return !blocks.contains(c); });
}

}  // namespace

int SearchProblem::allowed_devices(int count) const {
  if (device_counts == DeviceCounts::All || count <= 0) return count;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(count)));
}

int SearchPlan::depth() const {
  int deepest = 0;
  for (const SearchStage& stage : stages) deepest = std::max(deepest, stage.height);
  return deepest;
}

int SearchPlan::devices() const {
  int sum = 0;
  for (const SearchStage& stage : stages) sum += stage.devices;
  return sum;
}

StageTimes::StageTimes(const SearchProblem& problem, const BatchCosts& costs,
                       const std::vector<Digraph::Node>& blocks)
    : problem_(problem), costs_(costs), blocks_(blocks) {
  const NodeSet inside = as_set(problem.blocks(), blocks);
  for (const SearchTensor& tensor : problem.tensors) {
    const bool cut = inside.contains(tensor.producer) ? consumed_outside(tensor, inside)
                                                      : consumed_in(tensor, inside);
    if (!cut) continue;
    bytes_ += tensor.crossings * tensor.bytes;
    messages_ += tensor.crossings;
  }
}

double StageTimes::per_sample(int devices) {
  const int row = costs_.row_of_devices[static_cast<std::size_t>(devices)];
  if (row != row_) {
    row_ = row;
    compute_ = 0.0;
    const std::vector<double>& times = costs_.time[static_cast<std::size_t>(row)];
    for (const Digraph::Node block : blocks_) compute_ += times[static_cast<std::size_t>(block)];
  }
  const double compute = compute_ / costs_.micro_batch;
  const double communication =
      bytes_ / (problem_.bandwidth * devices) + messages_ * problem_.latency / costs_.micro_batch;
  return problem_.communication == CommunicationRule::Sum ? compute + communication
                                                          : std::max(compute, communication);
}

double time_per_sample(const SearchProblem& problem, const BatchCosts& costs,
                       const std::vector<Digraph::Node>& blocks, int devices) {
  return StageTimes(problem, costs, blocks).per_sample(devices);
}

double memory_needed(const SearchProblem& problem, const BatchCosts& costs,
                     const std::vector<Digraph::Node>& blocks, int devices, int height) {
  const NodeSet inside = as_set(problem.blocks(), blocks);
  double fixed = 0.0;
  double saved = 0.0;
  for (const Digraph::Node block : blocks) {
    fixed += problem.fixed[static_cast<std::size_t>(block)];
    saved += problem.saved[static_cast<std::size_t>(block)];
  }
  for (const SearchTensor& tensor : problem.tensors)
    if (!inside.contains(tensor.producer) && consumed_in(tensor, inside))
      saved += tensor.saved_at_consumer;
  const int batches = (problem.mini_batch + costs.micro_batch - 1) / costs.micro_batch;
  const int share = costs.share[costs.row_of_devices[static_cast<std::size_t>(devices)]];
  return fixed + saved * std::min(height, batches) * share;
}

std::vector<double> least_device_seconds(const BatchCosts& costs, int device_limit) {
  std::vector<double> least(costs.time.front().size(), std::numeric_limits<double>::infinity());
  for (int d = 1; d <= device_limit; ++d) {
    const std::uint16_t row = costs.row_of_devices[static_cast<std::size_t>(d)];
    if (d > 1 && row == costs.row_of_devices[static_cast<std::size_t>(d) - 1]) continue;
    for (std::size_t block = 0; block < least.size(); ++block)
      least[block] = std::min(least[block], d * costs.time[row][block]);
  }
  return least;
}

void settle(const SearchProblem& problem, const BatchCosts& costs, SearchPlan& plan) {
  std::vector<int> height_of(problem.blocks(), 0);
  plan.max_time_per_sample = 0.0;
  int position = 0;
  for (SearchStage& stage : plan.stages) {
    ++position;
    int below = 0;
    for (const Digraph::Node block : stage.blocks)
      for (const Digraph::Node next : problem.graph.successors(block))
        below = std::max(below, height_of[static_cast<std::size_t>(next)]);
    stage.height = problem.in_flight == InFlightRule::LongestPath ? below + 1 : position;
    for (const Digraph::Node block : stage.blocks)
      height_of[static_cast<std::size_t>(block)] = stage.height;
    stage.time_per_sample = time_per_sample(problem, costs, stage.blocks, stage.devices);
    plan.max_time_per_sample = std::max(plan.max_time_per_sample, stage.time_per_sample);
  }
}

}  // namespace pipegraph
